"""How the published files name the way a task leans on the earlier dialogue (formats 8, IMP-16)."""

from pydantic import JsonValue

from scoring.formats.fields import label_at, list_at
from scoring.model.taxonomy import Information

ENGLISH = {
    Information.REFERENCE: "Coreferential Reference",
    Information.OMISSION: "Partial Information",
    Information.LONG_RANGE: "Long-Range Dependency",
}
CHINESE = {
    Information.REFERENCE: "指代理解",
    Information.OMISSION: "省略成分",
    Information.LONG_RANGE: "长期记忆",
}
_KNOWN = {
    **{name.casefold(): kind for names in (ENGLISH, CHINESE) for kind, name in names.items()},
    "implicit": Information.REFERENCE,
    "ellipsis": Information.OMISSION,
    "omit": Information.OMISSION,
    "long-term memory": Information.LONG_RANGE,
    "long context": Information.LONG_RANGE,
}


def read_relations(value: JsonValue, where: str, notes: list[str]) -> list[Information | None]:
    """Read the list of relations; None is an empty one.

    Of its items None and empty texts say nothing, an unknown name is noted and says nothing.

    Raises:
        InputError: It is not a list, or an item is not a text.
    """
    listed = [] if value is None else list_at(value, where)
    return [
        label_at(item, f"{where}[{i}]", notes, known=_KNOWN, noun="relation") for i, item in enumerate(listed)
    ]
