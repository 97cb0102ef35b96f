"""The wheel holds a program for one platform, and Python of any version: py3-none-PLATFORM."""

import os
import sysconfig

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class WithProgram(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ.get("BENCH_WHEEL_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")


setup(cmdclass={"bdist_wheel": WithProgram})
