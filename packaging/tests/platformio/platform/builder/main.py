"""Builds a program for the bare processor that an environment names."""

from SCons.Script import AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()
env.Replace(CC="arm-none-eabi-gcc", CXX="arm-none-eabi-g++", LINK="arm-none-eabi-gcc", AR="arm-none-eabi-ar",
            AS="arm-none-eabi-as", RANLIB="arm-none-eabi-ranlib", PROGSUFFIX=".elf")
machine = env.GetProjectOption("custom_machine").split()
memory = env.GetProjectOption("custom_memory").split()
script = env.subst("$PROJECT_DIR/link.ld")
env.Append(CCFLAGS=machine, LINKFLAGS=machine + memory + ["-nostartfiles", "-T", script])
Default(AlwaysBuild(env.Alias("buildprog", env.BuildProgram())))
