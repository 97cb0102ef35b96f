"""The source of an object as a file that needs no other."""

import ast
import builtins
import inspect
import linecache
import math
import os
import site
import symtable
import sys
import sysconfig
import textwrap
import types

import numpy as np


class Source:
    """Collects imports and definitions. `folder` is that of modules of the user's own, beside which the file must lie."""

    def __init__(self):
        self.imports, self.definitions, self.known, self.folder = [], [], {}, None

    def text(self):
        parts = ["\n".join(sorted(set(self.imports)))] if self.imports else []
        return "\n\n\n".join(parts + self.definitions) + "\n"

    def expression(self, value, what):
        """How a value is written in the file; what names it in errors."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, str)) or type(value) is int:
            return repr(value)
        if isinstance(value, float):
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        if isinstance(value, np.ndarray) and value.size <= 1000:
            self.imports.append("import numpy")
            return f"numpy.array({self.expression(value.tolist(), what)}, dtype={str(value.dtype)!r})"
        if type(value) in (list, tuple, set) or type(value).__name__ == "per_feature":
            return self.sequence(value, what)
        if type(value) is dict:
            return "{" + ", ".join(f"{self.expression(k, what)}: {self.expression(v, what)}" for k, v in value.items()) + "}"
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            return self.name_of(value)
        if hasattr(value, "get_params"):
            return self.estimator(value)
        raise TypeError(f"{what} is {value!r:.60}, which cannot be written into a file; make it a number, a text or a list of these, or compute it within the class")

    def sequence(self, value, what):
        items = [self.expression(v, what) for v in value]
        if type(value).__name__ == "per_feature":
            self.imports.append("from benchplugin import per_feature")
            return f"per_feature([{', '.join(items)}])"
        if type(value) is tuple:
            return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"
        if type(value) is set:
            return "{" + ", ".join(sorted(items)) + "}" if items else "set()"
        return "[" + ", ".join(items) + "]"

    def estimator(self, value):
        """An estimator as the call that makes it, with the parameters that are not its defaults."""
        kind, given = type(value), value.get_params(deep=False)
        signature = inspect.signature(kind).parameters
        said = []
        for name, now in given.items():
            default = signature[name].default if name in signature else inspect.Parameter.empty
            if now is default or type(now) is type(default) and isinstance(now, (bool, int, float, str)) and now == default:
                continue
            said.append(f"{name}={self.expression(now, f'{kind.__name__}.{name}')}")
        return f"{self.name_of(kind)}({', '.join(said)})"

    def name_of(self, thing):
        """The name under which the file has a class or a function: imported where it can be, else with its source."""
        module, name = getattr(thing, "__module__", None), thing.__name__
        if isinstance(thing, np.ufunc):
            module = "numpy"
        if module == "builtins":
            return name
        if module and module != "__main__" and self.importable(module):
            if getattr(sys.modules[module], name, None) is not thing:
                raise TypeError(f"{name} of the module {module} is not what the module has under this name; define it at "
                                "the top of the module")
            self.imports.append(f"from {public(module, name, thing)} import {name}")
            return name
        self.define(thing, name)
        return name

    def importable(self, module):
        """Whether a new process can import a module; one of the user's own says where the file must lie."""
        found = sys.modules.get(module)
        file = getattr(found, "__file__", None)
        if found is None or module.split(".")[0] == "__main__":
            return False
        if file is None:
            return True  # built in
        file = os.path.realpath(file)
        own = sysconfig.get_paths()
        installed = [own["stdlib"], own["platstdlib"], own["purelib"], own["platlib"], *site.getsitepackages(), site.getusersitepackages()]
        if any(file.startswith(os.path.realpath(path) + os.sep) for path in installed):
            return True
        root = os.path.dirname(file)
        for _ in range(module.count(".") + (os.path.basename(file) == "__init__.py")):
            root = os.path.dirname(root)
        if self.folder not in (None, root):
            raise TypeError(f"the method uses modules of two folders, {self.folder} and {root}; a plugin reads one: put them together")
        self.folder = root
        return True

    def define(self, thing, name):
        """Adds the source of a class or a function, after that of all that it uses."""
        if name in self.known:
            if self.known[name] is not thing:
                raise TypeError(f"two things are named {name}; give one another name")
            return
        self.known[name] = thing
        try:
            text = textwrap.dedent(class_source(thing) if isinstance(thing, type) else inspect.getsource(thing)).rstrip()
        except (OSError, TypeError) as e:
            raise TypeError(f"the source of {name} is not known ({e}); write it into a file, such as my.py, and import it") from None
        around = sys.modules[thing.__module__].__dict__ if thing.__module__ in sys.modules else {}
        for used in sorted(global_names(text, name)):
            if used in around and used != name:
                self.bind(used, around[used], name)
            elif not hasattr(builtins, used) and used != name:
                raise NameError(f"{name} uses {used}, which is not defined in its module; define it at the top of the "
                                "notebook or of the file")
        self.definitions.append(text)

    def bind(self, name, value, user):
        """Adds the value of a global name."""
        if isinstance(value, types.ModuleType):
            self.importable(value.__name__)
            self.imports.append(f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}"))
            return
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            known = self.name_of(value)
            if known != name:
                self.definitions.append(f"{name} = {known}")
            return
        if name not in self.known:
            self.known[name] = value
            self.definitions.append(f"{name} = {self.expression(value, f'{name}, which {user} uses,')}")


def public(module, name, thing):
    """The shortest name of a module that has the thing: sklearn.svm for sklearn.svm._classes."""
    parts = module.split(".")
    for n in range(1, len(parts)):
        at = ".".join(parts[:n])
        if getattr(sys.modules.get(at), name, None) is thing:
            return at
    return module


def class_source(kind):
    """The source of a class, of a notebook too, where only its functions know the cell that they are in."""
    for member in vars(kind).values():
        code = getattr(inspect.unwrap(getattr(member, "__func__", member)), "__code__", None)
        if code is None:
            continue
        text = "".join(linecache.getlines(code.co_filename))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and node.name == kind.__name__ and node.lineno <= code.co_firstlineno <= node.end_lineno:
                first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                return "\n".join(text.splitlines()[first - 1:node.end_lineno])
    return inspect.getsource(kind)


def global_names(text, name):
    """The names that a piece of source takes from around it, in the rules of scopes of the language."""
    found = set()

    def walk(table, top):
        for symbol in table.get_symbols():
            free = symbol.is_referenced() and (symbol.is_global() or top and not symbol.is_assigned() and not symbol.is_imported() and not symbol.is_namespace())
            if free:
                found.add(symbol.get_name())
        for child in table.get_children():
            walk(child, False)

    walk(symtable.symtable(text, name, "exec"), True)
    return found
