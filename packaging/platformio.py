"""Links the archive for the compiler and the flags of an environment of PlatformIO.

`custom_unspool = fast` in `platformio.ini` chooses the fast archive instead of the small one.
"""

import os
import shlex
import subprocess

Import("env", "projenv")

root = os.getcwd()
command = shlex.split(env.subst("$CC $CFLAGS $CCFLAGS")) + ["-E", "-P", "target.h"]
said = subprocess.run(command, cwd=root, env=env["ENV"], capture_output=True, text=True, check=True)
target = said.stdout.strip().strip('"')
kind = env.GetProjectOption("custom_unspool", "small")

# Archives for Linux have one kind.
folder = os.path.join(root, "lib", target)
small = not os.path.isdir(folder) and kind == "small"
if not os.path.isdir(folder):
    folder += "-" + kind
if not os.path.isfile(os.path.join(folder, "libunspool.a")):
    raise SystemExit(f"unspool has no {kind} archive for the target {target}")

env.Append(LIBPATH=[folder], LIBS=["unspool"], LINKFLAGS=["-Wl,--gc-sections"])
if small:
    # The header has to know which structs are smaller: in the sources of the project, in the
    # libraries that have been found before this one, and in those that copy the default later.
    for each in [projenv, DefaultEnvironment()] + [library.env for library in env.GetLibBuilders()]:
        each.Append(CPPDEFINES=["UNSPOOL_SMALL"])
