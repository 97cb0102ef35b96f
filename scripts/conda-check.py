"""Builds conda-recipe/recipe.yaml by rattler-build and runs its tests (make recipe). Where conda-forge has packages of a compiler of
C, of Go, of the system's headers and of Python, empty ones stand for those of this machine. Takes no channel of others."""

import shutil
import tempfile
from pathlib import Path

from rattler_build import EnvironmentIsolation, Stage0Recipe, ToolConfiguration, VariantConfig

root = Path(__file__).resolve().parent.parent
work = Path(tempfile.mkdtemp())
VARIANTS = VariantConfig({"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"],
                          "go_cgo_compiler": ["go-cgo"]})


def build(recipe, channels, **more):
    [variant] = Stage0Recipe.from_file(recipe).render(VARIANTS)
    return variant.run_build(output_dir=work / "made", channels=channels, env_isolation=EnvironmentIsolation.NONE, **more)


try:
    for name in "gcc_linux-64 2", "sysroot_linux-64 2.17", "go-cgo_linux-64 2", "python 3.13":
        folder = work / name.split()[0]
        folder.mkdir()
        package, version = name.split()
        (folder / "recipe.yaml").write_text(
            f"package: {{name: {package}, version: \"{version}\"}}\nbuild: {{noarch: generic, script: \"true\"}}\n")
        build(folder / "recipe.yaml", [])
    made = build(root / "conda-recipe" / "recipe.yaml", [(work / "made").as_uri()],
                 tool_config=ToolConfiguration(test_strategy="native"))
    print("conda: built and tested", *(Path(p).name for p in made.packages))
finally:
    shutil.rmtree(work)
