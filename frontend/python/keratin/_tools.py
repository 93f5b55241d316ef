"""The programs of the package: keratin-dump and the like."""
import os
import re
import shutil
import subprocess

from keratin import _native


def find(name):
    """The path of a tool: beside the library that this module uses, else on the PATH."""
    folder = os.path.normpath(os.path.join(_native.library_folder(), '..', 'bin'))
    beside = os.path.join(folder, name)
    found = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if not found:
        raise RuntimeError('%s is neither in %s nor on the PATH' % (name, folder))
    return found


def run(name, arguments, subject):
    """Runs a tool.

    Args:
        name: 'keratin-dump'.
        arguments: a list of strings, the first of which is a temporary file.
        subject: what messages call that.

    Returns:
        What it has written to standard output.

    Raises:
        ValueError: if it says that what it was given is wrong.
        RuntimeError: if it is not there, or fails in another way.
    """
    result = subprocess.run([find(name)] + arguments, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode == 0:
        return result.stdout.decode()
    # "keratin-dump: error: --stage needs one of ..." is what a method's argument `stage` needs.
    message = result.stderr.decode(errors='replace').strip()
    message = re.sub(r'^(?:%s: )?error: (?:--)?' % re.escape(name), '', message, flags=re.MULTILINE)
    message = message.replace(arguments[0], 'the function')
    wrong = result.returncode in (1, 2)
    raise (ValueError if wrong else RuntimeError)(
        '%s: %s' % (subject, message or '%s ended with %d' % (name, result.returncode)))
