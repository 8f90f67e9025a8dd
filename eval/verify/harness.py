# Runs an answer and the tests of its task in one interpreter and tells on
# descriptor 3 what came of it, each line marked by a number nobody can guess.
# The unmodified test decides; a second run, in which every assertion of the
# test is counted, says how far a failed answer got.
#
# The answer cannot be kept out of its own interpreter, so this guards against
# what it could do to its verdict there: names, builtins and modules that the
# answer changed are not those of the tests, values that pretend to equal
# anything are not taken, and whoever looks at the interpreter's frames is found
# out. After the answer has run, nothing here may go through what it can replace:
# functions here have builtins of their own, and no class or function of theirs
# can be found from outside. What is true outside (no network, files, processes)
# is not up to this file.


def harness(job):
    import ast
    import builtins
    import os
    import reprlib
    import resource
    import sys
    import types

    write, end, getframe = os.write, os._exit, sys._getframe
    parse, walk, fix = ast.parse, ast.walk, ast.fix_missing_locations
    isinst, typeof, length, text, exact = isinstance, type, len, str, str.__str__
    # A metaclass can hide what a class is; it cannot hide it from these.
    mro_of, dict_of = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
    shared = vars(builtins)
    pristine = dict(shared)
    library = os.path.dirname(os.__file__) + os.sep
    nonce = job["nonce"]
    state = {"tampered": "", "busy": False, "done": False}

    def quoted(value):
        """JSON of a number, a truth or a text, without the library: its encoder
        could be the answer's."""
        if value is True or value is False:
            return "true" if value else "false"
        if typeof(value) is int:
            return text(value)
        out = ""
        for c in exact(value):
            n = ord(c)
            if n > 0xFFFF:
                out += "\\u%04x\\u%04x" % (0xD800 + (n - 0x10000 >> 10), 0xDC00 + (n - 0x10000 & 0x3FF))
            elif 32 <= n < 127 and c not in '"\\':
                out += c
            else:
                out += "\\u%04x" % n
        return '"' + out + '"'

    def tell(stage, **said):
        said["stage"] = stage
        line = ", ".join('"%s": %s' % (k, quoted(v)) for k, v in said.items())
        write(3, (nonce + " {" + line + "}\n").encode("ascii"))

    def last_line(e):
        try:
            if isinst(e, SyntaxError):
                place = " on line %s: %s" % (e.lineno, (e.text or "").strip()) if e.lineno else ""
                return exact("%s: %s%s" % (typeof(e).__name__, e.msg, place))
            said = exact(text(e)).strip()
            return exact(typeof(e).__name__ + (": " + said.splitlines()[-1] if said else ""))
        except BaseException:
            return "an error"

    short = reprlib.Repr()
    short.maxlist = short.maxtuple = short.maxset = short.maxdict = 20
    short.maxstring = short.maxlong = short.maxother = 100

    def shown(value):
        try:
            return exact(short.repr(value))[:120]
        except BaseException:
            return "a value that cannot be shown"

    # --- what an answer may not do to its verdict ---

    def trusted(file):
        return file.startswith((library, "<frozen ")) and not file.endswith(("/inspect.py", "/bdb.py"))

    watched = {
        "sys._getframe", "sys._current_frames", "sys.settrace", "sys.setprofile", "sys.addaudithook",
        "gc.get_objects", "gc.get_referrers", "gc.get_referents", "code.__new__", "marshal.load", "marshal.loads",
    }

    def hook(event, args):
        if state["busy"] or state["tampered"]:
            return
        suspect = event in watched or event.startswith(("ctypes.", "sys.monitoring"))
        if event == "object.__getattr__":
            suspect = args[1].endswith("_frame")
        elif event == "compile":
            suspect = typeof(args[1]) is str and trusted(args[1])
        if not suspect:
            return
        state["busy"] = True
        try:
            if event.startswith("ctypes.") or not trusted(getframe(1).f_code.co_filename):
                state["tampered"] = "The program reaches into the interpreter (%s); that is not allowed." % event
        finally:
            state["busy"] = False

    function, native = types.FunctionType, (types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType)
    overriding = (
        "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__bool__", "__contains__",
        "__sub__", "__rsub__", "__add__", "__radd__", "__abs__", "__round__", "__mod__", "__getattribute__",
    )

    def pretends(value, names, budget):
        """Whether a value, or one inside it, brings its own idea of equality."""
        budget[0] -= 1
        if budget[0] < 0:
            return False
        for cls in mro_of(typeof(value)):
            own = dict_of(cls)
            for name in overriding:
                f = own.get(name)
                if typeof(f) is function:
                    file = f.__code__.co_filename
                    if cls.__name__ not in names and (not trusted(file) or "unittest" in file):
                        return True
                elif f is not None and typeof(f) not in native:
                    return cls.__name__ not in names
        if isinst(value, (list, tuple, set, frozenset)):
            return any(pretends(v, names, budget) for v in list(value)[:1000])
        if isinst(value, dict):
            return any(pretends(v, names, budget) for kv in list(value.items())[:1000] for v in kv)
        return False

    def guarded(f, names):
        if not callable(f):
            return f

        def candidate(*args, **kwargs):
            try:
                value = f(*args, **kwargs)
            finally:
                unchanged()
            if not state["tampered"] and pretends(value, names, [2000]):
                state["tampered"] = "The function returns an object that has its own idea of equality; return plain values."
            return value

        return candidate

    def refuse(*_):
        raise ValueError("signals cannot be handled here")

    # --- the task ---

    def made_by(source):
        """Names of classes that a test makes or the task gives."""
        try:
            tree = parse(source)
        except (SyntaxError, ValueError):
            return set()
        made = {n.func.id for n in walk(tree) if isinst(n, ast.Call) and isinst(n.func, ast.Name)}
        given = {n.arg for n in walk(tree) if isinst(n, ast.arg)} | {n.name for n in walk(tree) if isinst(n, ast.FunctionDef)}
        return (made - given - set(pristine) - {job["entry"]}) | {n.name for n in walk(tree) if isinst(n, ast.ClassDef)}

    def compiled():
        error = None
        for program in job["programs"]:
            try:
                return compile(program, "<answer>", "exec")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
                error = e
        try:
            # Told in the lines that the answer has.
            compile(job["answer"], "<answer>", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
            error = e
        tell("syntax", error=last_line(error))
        end(0)

    def counted(source, tag):
        """The test with every assertion counted. Constants say nothing; those
        inside try belong to the test's own handling of errors."""
        tree = parse(source)
        checks = []

        def asserted(node):
            if isinst(node.test, ast.Constant):
                return node
            said = ast.get_source_segment(source, node) or "assert"
            checks.append(" ".join(said.split()))
            one = isinst(node.test, ast.Compare) and length(node.test.ops) == 1
            form = "try:\n    %(t)sl = 0\n" + ("    %(t)sr = 0\n    %(t)snote(%(n)d, %(t)sl == %(t)sr, %(t)sl)\n" if one else "    %(t)snote(%(n)d, %(t)sl, %(t)sl)\n") + "except BaseException as %(t)se:\n    %(t)serr(%(n)d, %(t)se)\n"
            new = parse(form % {"t": tag, "n": length(checks) - 1}).body[0]
            if one:
                new.body[0].value = node.test.left
                new.body[1].value = node.test.comparators[0]
                new.body[2].value.args[1].ops = node.test.ops
            else:
                new.body[0].value = node.test
            return fix(ast.copy_location(new, node))

        def rewritten(node):
            """Not by a class, which its base would list."""
            if isinst(node, ast.Assert):
                return asserted(node)
            if isinst(node, ast.Try) and node.handlers:
                return node
            for field, value in ast.iter_fields(node):
                if isinst(value, list):
                    value[:] = [rewritten(v) if isinst(v, ast.AST) else v for v in value]
                elif isinst(value, ast.AST):
                    setattr(node, field, rewritten(value))
            return node

        tree = fix(rewritten(tree))
        return compile(tree, "<test>", "exec"), checks

    tests = [job["test"]] if job["test"] else job["tests"]
    spoken = set()
    for source in tests + [job["given"], job["setup"]]:
        spoken |= made_by(source)

    def helpers():
        """Functions that the task gives: tests rely on these, not on what an
        answer made of them."""
        try:
            own = {"__name__": "given", "__builtins__": builtins}
            exec(compile(job["given"].rstrip() + "\n    pass\n", "<given>", "exec"), own)
        except Exception:
            return {}
        return {k: v for k, v in own.items() if typeof(v) is types.FunctionType and k != job["entry"]}

    def prepared(code):
        """Runs the answer; what the tests see of it."""
        module = types.ModuleType("answer")
        sys.modules["answer"] = module
        sys.argv = ["answer"]
        own = vars(module)
        own["__builtins__"] = builtins
        if job["setup"]:
            exec(compile(job["setup"], "<setup>", "exec"), own)
        exec(code, own)
        # A function named like one of Python's own is seen where it is the one
        # that is tested.
        seen = {k: v for k, v in own.items() if k not in pristine or k == job["entry"]}
        seen.update(given)
        seen["__builtins__"] = dict(pristine)
        seen["__name__"] = "test"
        if job["entry"] in seen:
            seen[job["entry"]] = guarded(seen[job["entry"]], spoken)
        return seen

    def snapshot(module):
        """What a module offers, and how its classes compare."""
        before = {k: v for k, v in vars(module).items() if callable(v) or isinst(v, (int, float)) and not k.startswith("_")}
        compare = [(c, {n: dict_of(c).get(n) for n in overriding}) for c in before.values() if isinst(c, type)]
        return module, before, compare

    def unchanged():
        """Sees to it that the modules the tests use are as they were, and the
        builtins of all others."""
        shared.update(pristine)
        for name, (module, before, compare) in modules.items():
            now, same = vars(module), table.get(name) is module
            same = same and all(now.get(k) is v for k, v in before.items())
            if same and all(dict_of(c).get(n) is f for c, fs in compare for n, f in fs.items()):
                continue
            state["tampered"] = state["tampered"] or "The program changes the module %s; that is not allowed." % name
            now.update(before)
            table[name] = module

    def play(codes, seen):
        for code in codes:
            exec(code, seen)
        if job["test"]:
            seen["check"](seen[job["entry"]])

    def original(code, codes):
        """Decides: the test as it stands."""
        memory, passed, error = False, False, ""
        try:
            seen = prepared(code)
        except MemoryError as e:
            tell("original", memory=True, error=last_line(e))
            return False
        except BaseException as e:
            tell("missed", error=last_line(e))
            end(0)
        try:
            unchanged()
            play(codes, seen)
            unchanged()
            passed = True
        except BaseException as e:
            memory, error = isinst(e, MemoryError), last_line(e)
        if state["tampered"]:
            passed, error = False, state["tampered"]
        tell("original", passed=passed, memory=memory, error=error)
        return passed

    def shares(code, counts):
        """How far it got. Lines are written as checks come, since it may hang."""
        good, bad, raised, at, said = 0, 0, 0, 0, ""
        offset = 0
        written = sum(length(c) for _, c in counts)

        def report():
            total = max(good + bad, written)
            tell("checks", good=good, bad=bad, raised=raised, total=total, said=said)

        def failed(n, words):
            nonlocal bad, said
            bad += 1
            if not said:
                check = counts[offset][1][n]
                said = (check if length(check) <= 170 else check[:169] + "…") + " — " + words

        def after():
            if good + bad <= 50 or (good + bad) % 100 == 0:
                report()

        def note(n, ok, value):
            nonlocal good
            # bool may raise; it is asked here once, as assert would.
            if ok and not state["tampered"]:
                good += 1
            else:
                failed(n, state["tampered"] or "it gave " + shown(value))
            after()

        def err(n, e):
            nonlocal raised
            raised += 1
            failed(n, "it raised " + last_line(e))
            after()

        report()
        try:
            seen = prepared(code)
            unchanged()
            seen[tag + "note"], seen[tag + "err"] = note, err
            for offset, (test, _) in enumerate(counts):
                if job["test"]:
                    exec(test, seen)
                    seen["check"](seen[job["entry"]])
                else:
                    exec(test, seen)
        except BaseException as e:
            said = said or "it raised " + last_line(e)
        report()

    tell("start")
    code = compiled()
    codes = [compile(t, "<test>", "exec") for t in tests]
    tag = "_" + nonce[:12] + "_"
    counts = [counted(t, tag) for t in tests]
    modules = {}
    for source in tests:
        for node in walk(parse(source)):
            if isinst(node, ast.Import):
                for alias in node.names:
                    modules[alias.name] = __import__(alias.name)
            elif isinst(node, ast.ImportFrom) and node.module:
                modules[node.module] = __import__(node.module)
    # Under the name it has in the table: "import a.b" gives a.
    table = sys.modules
    modules = {name: snapshot(table[name]) for name in modules}
    given = helpers()
    import _signal

    if job["only"]:
        # Unhandled, these end the process.
        _signal.setitimer(_signal.ITIMER_PROF, 2)
        _signal.setitimer(_signal.ITIMER_REAL, 20)
    # With globals of its own, since a function shows those it has.
    _signal.signal = function(refuse.__code__, {"__builtins__": builtins, "__name__": "_signal"})
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.addaudithook(hook)
    if job["only"] or not original(code, codes):
        shares(code, counts)
    end(0)


import builtins
import json
import types

# With globals and builtins that the answer does not share.
types.FunctionType(harness.__code__, {"__builtins__": dict(vars(builtins)), "__name__": "harness"})(json.loads("PAYLOAD"))
