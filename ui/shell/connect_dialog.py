"""The form of a team project on a server: filled by hand or by an invitation, tested, joined or created."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pydantic import Field
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QWidget

from annotator.project.connection import (
    ConnectionResult,
    ConnectionTest,
    ServerPlace,
    keep_certificates,
    read_invitation,
    read_place,
    try_connection,
)
from scoring.errors import AnnotatorError
from scoring.model.record import Record
from scoring.texts import in_language, tr
from ui.services.errors import ManualLink
from ui.services.forms import Editor, RecordForm, path_editor
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, WrappedLabel
from ui.theme.dialogs import FramedDialog, open_dialog
from ui.theme.fields import DropDown, PathField, form_row
from ui.theme.layouts import build

_TLS = (
    (tr("Automatic"), "", tr("Encrypted and verified; without TLS only on this computer.")),
    (
        tr("Verified"),
        "verify-full",
        tr("Encrypted, and the server proves by its certificate that it is this host."),
    ),
    (
        tr("Encrypted only"),
        "require",
        tr("Encrypted, but nothing proves who answers: somebody in between can read and change everything."),
    ),
    (
        tr("None"),
        "disable",
        tr("Not encrypted: everybody on the network can read the cases. Only for this computer."),
    ),
)


@dataclass(frozen=True)
class Joining:
    """A team project to open or, where `is_new`, to create; the address may hold the password."""

    url: str = field(repr=False)
    person: str | None
    keeps_password: bool
    is_new: bool


class ServerEntry(Record):
    """What the form says: the place, and who joins there with which password, kept in the keyring or not."""

    place: ServerPlace = ServerPlace()
    password: str = Field(default="", repr=False, examples=[tr("Empty: the keyring or ~/.pgpass")])
    keeps: bool = Field(default=True, title=tr("Keep it in the keyring"))
    name: str = Field(default="", title=tr("Your name"), examples=[tr("Empty: asked after joining")])


class ConnectDialog(FramedDialog):
    """Asks where a team project is, tells what is there, and joins or creates it.

    Nothing is tried while somebody types: a press of Test or Join is one attempt.

    Args:
        operations: Runs the attempt.
        url: Fills the form; None leaves it empty.
        person: Fills the name.
        problem: Why the form is shown.
        parent: The window.
    """

    joined = Signal(object)
    """A `Joining`."""

    def __init__(
        self,
        operations: Operations,
        parent: QWidget,
        *,
        url: str | None = None,
        person: str = "",
        problem: AnnotatorError | None = None,
        **properties: Any,
    ) -> None:
        super().__init__(
            "connect-dialog",
            tr("Team project"),
            tr("Team project"),
            width=600,
            about=tr("A team works in one PostgreSQL database. A manager's invitation fills this form."),
            parent=parent,
            **properties,
        )
        self._operations = operations
        self._job: WindowJob | None = None
        self._attempt = 0
        self._found: ConnectionResult | None = None
        self._build()
        if url is not None:
            self._fill(url, person)
        if problem is not None:
            self._refuse(problem)

    def ask(self) -> None:
        """Open it above its window."""
        open_dialog(self)
        place = self._entry().place
        (self._password if place.host or place.database else self._paste).setFocus()

    def done(self, result: int) -> None:
        self._cancel()
        super().done(result)

    # building ------------------------------------------------------------------------------------

    def _build(self) -> None:
        frame = self.frame
        self._paste = Button(
            tr("Paste invitation"), icon_name="clipboard-text", objectName="connect-paste", clicked=self.paste
        )
        paste = form_row(self._paste)
        paste.addStretch(1)
        frame.add(paste)
        self._tls = DropDown("connect-tls", [(words, mode) for words, mode, _ in _TLS])
        certificate = PathField(
            "connect-certificate",
            tr("Certificate file"),
            filters=tr("Certificates (*.pem *.crt *.cer);;All files (*)"),
            takes_folder=False,
        )
        certificate.line.setPlaceholderText(tr("Empty: the authorities this computer trusts"))
        tls = Editor(self._tls, self._tls.currentIndexChanged, self._tls.currentData, self._choose_tls)
        lines = path_editor(certificate)
        self._form = RecordForm(
            "connect",
            ServerEntry,
            "place.host",
            "place.port",
            "place.database",
            "place.user",
            "password",
            "keeps",
            "place.tls",
            "place.certificate",
            "name",
            editors={
                "place.tls": tls,
                "place.certificate": replace(lines, read=lambda: str(lines.read() or "")),
            },
            parent=self,
        )
        form = frame.add_form(*self._form.rows())
        self._password = self._form.fields["password"].editor.widget
        self._tls_words = WrappedLabel("", "small-muted", objectName="connect-tls-words")
        form.insertRow(form.rowCount() - 2, "", self._tls_words)
        self._busy = build(QProgressBar, minimum=0, maximum=0, textVisible=False)
        self._message = frame.explain("", "strong", objectName="connect-message")
        frame.add(self._busy)
        self._hint = frame.explain("", objectName="connect-hint")
        self._manual = ManualLink(objectName="connect-manual")
        frame.add(self._manual)
        self._statements = frame.explain("", "mono", objectName="connect-statements")
        self._copy = Button(
            tr("Copy these lines"), ButtonKind.LINK, objectName="connect-copy", clicked=self._copy_statements
        )
        frame.add(self._copy)
        self._test = Button(tr("Test"), objectName="connect-test", clicked=self._press_test)
        self._go = Button(
            tr("Join"),
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="connect-go",
            default=True,
            clicked=self._press_go,
        )
        frame.end_with(self._go, left=self._test)
        for name, one in self._form.fields.items():
            if name not in ("keeps", "name"):
                one.editor.changed.connect(self._forget_result)
        self._tls.currentIndexChanged.connect(self._show_tls)
        self._show_busy(is_busy=False)
        self._show_tls()
        self._tell("", "")

    # filling -------------------------------------------------------------------------------------

    def paste(self) -> None:
        """Fill the form from the invitation on the clipboard; the name and address there win."""
        try:
            invitation = read_invitation(QGuiApplication.clipboard().text())
            if invitation.certificates:
                kept = str(keep_certificates(invitation.certificates))
        except AnnotatorError as error:
            self._refuse(error)
            return
        self._fill(invitation.url, invitation.person)
        if invitation.certificates:
            self._form.fields["place.certificate"].editor.show(kept)
        self._tell(tr("The invitation was read."), tr("Type the database password, then join."))
        self._password.setFocus()

    def _fill(self, url: str, person: str) -> None:
        place, password = read_place(url)
        found = {"place": place, "password": password, "name": person}
        self._form.fill(self._entry().model_copy(update=found))

    def _entry(self) -> ServerEntry:
        entry: ServerEntry = self._form.record()
        return entry

    def _url(self) -> str:
        entry = self._entry()
        url = entry.place.url(entry.password)
        read_place(url)
        return url

    def _choose_tls(self, mode: str) -> None:
        if self._tls.findData(mode) < 0:
            self._tls.add(mode, mode)
        self._tls.setCurrentIndex(self._tls.findData(mode))

    def _show_tls(self) -> None:
        known = {mode: words for _, mode, words in _TLS}
        self._tls_words.setText(known.get(self._tls.currentData(), tr("As the address has it (sslmode).")))

    # trying --------------------------------------------------------------------------------------

    def _press_test(self) -> None:
        if self._job is not None:
            self._cancel()
            self._tell(tr("The test was cancelled."), tr("Nothing was changed."))
        else:
            self._try(is_joining=False)

    def _press_go(self) -> None:
        if self._found is ConnectionResult.EMPTY:
            self._join(self._url())
        else:
            self._try(is_joining=True)

    def _try(self, *, is_joining: bool) -> None:
        self._cancel()
        if self._form.check():
            return
        try:
            url = self._url()
        except AnnotatorError as error:
            self._refuse(error)
            return
        self._tell(tr("Connecting to {value} …", value=self._entry().place.host or "this computer"), "")
        self._show_busy(is_busy=True)
        number = self._attempt
        self._job = self._operations.start_outside(
            partial(try_connection, url=url),
            tr("Connecting"),
            then=partial(self._take, number, url, is_joining=is_joining),
            failed=partial(self._fail, number),
        )
        self._job.ended.connect(self._end)

    def _take(self, number: int, url: str, found: ConnectionTest, *, is_joining: bool) -> None:
        if number != self._attempt:
            return  # it was cancelled, or the form says something else by now
        self._show_busy(is_busy=False)
        if is_joining and found.finding in (ConnectionResult.PROJECT, ConnectionResult.OLDER):
            self._join(url)
            return
        self._found = found.finding
        look = "error" if found.finding is ConnectionResult.UNUSABLE else "strong"
        self._tell(
            in_language(found.message), in_language(found.hint), look=look, statements=found.statements
        )
        self._manual.offer(found.message if found.finding is ConnectionResult.UNUSABLE else "")
        self._go.setText(tr("Create project") if found.finding is ConnectionResult.EMPTY else tr("Join"))
        if found.finding is not ConnectionResult.UNUSABLE and self._test.hasFocus():
            self._go.setFocus()  # Enter goes on instead of testing again

    def _fail(self, number: int, error: AnnotatorError) -> None:
        if number == self._attempt:
            self._refuse(error)

    def _end(self) -> None:
        if self._job is not None and not self._job.is_running:
            self._job = None
            self._show_busy(is_busy=False)

    def _join(self, url: str) -> None:
        entry = self._entry()
        joining = Joining(
            url,
            person=entry.name or None,
            keeps_password=entry.keeps and bool(entry.password),
            is_new=self._found is ConnectionResult.EMPTY,
        )
        self.accept()
        self.joined.emit(joining)

    def _cancel(self) -> None:
        self._attempt += 1
        if self._job is not None:
            self._job.cancel()
            self._job = None
            self._show_busy(is_busy=False)

    # telling -------------------------------------------------------------------------------------

    def _forget_result(self) -> None:
        """What was found is no longer about what the form says."""
        self._cancel()
        self._found = None
        self._go.setText(tr("Join"))
        self._tell("", "")

    def _refuse(self, error: AnnotatorError) -> None:
        self._tell(tr(error.message), tr(error.hint), look="error")
        self._manual.offer(error.message)

    def _tell(
        self, message: str, hint: str, *, look: str = "strong", statements: tuple[str, ...] = ()
    ) -> None:
        self._message.set_look(look)
        self._manual.offer("")
        for label, words in (
            (self._message, message),
            (self._hint, hint),
            (self._statements, "\n".join(statements)),
        ):
            label.say(words)
        self._copy.setVisible(bool(statements))

    def _show_busy(self, *, is_busy: bool) -> None:
        self._busy.setVisible(is_busy)
        self._test.setText(tr("Cancel test") if is_busy else tr("Test"))
        self._go.set_blocked(tr("The connection is being tested.") if is_busy else "")

    def _copy_statements(self) -> None:
        QGuiApplication.clipboard().setText(self._statements.text())
        self._copy.setText(tr("Copied"))
