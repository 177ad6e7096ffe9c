from __future__ import annotations

import errno

import pytest

from crossgate import cli


def outcome(monkeypatch, capsys, error):
    def refuse(**_):
        raise error

    monkeypatch.setattr(cli, "outlive_readers", lambda: None)
    monkeypatch.setattr(cli, "crossgate", type("Group", (), {"main": staticmethod(refuse)}))
    monkeypatch.delenv("CROSSGATE_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code, capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "memory is used up"),
        (OSError(errno.EMFILE, "Too many open files", "a/file"), "refuses: Too many open files\n  at a/file\n  raise its limit"),
        (OSError(errno.ENOSPC, "No space left on device"), "refuses: No space left on device\n  make room"),
        (OSError(errno.EPERM, "Operation not permitted"), "a fault of crossgate itself: PermissionError"),
        (KeyError("x"), "a fault of crossgate itself: KeyError"),
    ],
    ids=repr,
)
def test_whatever_ends_a_command_is_no_verdict(monkeypatch, capsys, error, said):
    """What the machine refuses is told apart from a fault of crossgate: its user can mend the one and not the other."""
    code, text = outcome(monkeypatch, capsys, error)
    assert code == 3
    assert said in text


def test_a_working_folder_that_is_gone_is_named(monkeypatch, capsys, tmp_path):
    """``check --watch`` outlives the folder that it was called in; asking where it is is an error then."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, text = outcome(monkeypatch, capsys, FileNotFoundError(errno.ENOENT, "No such file or directory"))
    assert (code, text.splitlines()[0]) == (2, "crossgate: the working folder is gone")
