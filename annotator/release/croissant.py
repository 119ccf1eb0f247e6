"""A release described for catalogues of data sets, in the vocabulary of Croissant (version 1.0)."""

import json
from collections.abc import Sequence

from annotator.release.front_matter import how_made
from annotator.release.manifest import About, Content
from annotator.release.table_rows import RowTable
from scoring.model.record import JsonObject
from scoring.wording import counted

_ML = "http://mlcommons.org/croissant/"
_CONTEXT: JsonObject = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": _ML,
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"string": "sc:Text", "bool": "sc:Boolean", "int64": "sc:Integer"}
_FORMS = {"jsonl": "application/jsonlines", "parquet": "application/x-parquet"}


def croissant_text(content: Content, about: About, *, tables: Sequence[RowTable]) -> str:
    """The description as JSON-LD: each table with its checksum and a record set of its columns."""
    about_it: JsonObject = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": f"{_ML}1.0",
        "name": about.name,
        "description": f"{counted(content.case_count, 'verified case')} of tool use with "
        f"{counted(content.task_count, 'task')}. {how_made(about.policy)}",
        "datePublished": about.at,
        "version": about.version or "",
        "identifier": content.content_sha256,
        "creator": {"@type": "sc:Person", "name": about.by},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": table.file,
                "name": table.file,
                "contentUrl": table.file,
                "contentSize": f"{table.entry.bytes} B",
                "encodingFormat": _FORMS[table.file.rpartition(".")[2]],
                "sha256": table.entry.sha256,
            }
            for table in tables
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": table.name,
                "name": table.name,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{table.name}/{column}",
                        "name": column,
                        "description": "JSON as text." if column in table.json_columns else "",
                        "dataType": _TYPES[kind],
                        "source": {"fileObject": {"@id": table.file}, "extract": {"column": column}},
                    }
                    for column, kind in table.columns.items()
                ],
            }
            for table in tables
        ],
    }
    return json.dumps(about_it, ensure_ascii=False, indent=1) + "\n"
