"""run.sh as a user meets it, beside a program, a ninja and a package manager that are stand-ins."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent


class RunScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for part in ("cli/commands", "play", "web", "configs"):
            shutil.copytree(SOURCE / part, self.root / part)
        shutil.copy(SOURCE / "run.sh", self.root)
        build = self.root / "build"
        build.mkdir()
        for name in ("build.ninja", "CMakeCache.txt"):
            (build / name).touch()
        (build / "libtorch.choice").write_text("cpu\n")
        self.script(build / "baghzero", 'echo "program: $*"')
        self.script(self.root / "bin/ninja", 'echo built >> "$2/builds"')
        self.script(self.root / "bin/ctest", 'echo "ctest: $*"')
        self.script(self.root / "bin/dpkg", "echo /torch/TorchConfig.cmake")
        self.script(self.root / "bin/dpkg-query", "echo installed")

    def script(self, file, text):
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n" + textwrap.dedent(text) + "\n")
        file.chmod(0o755)

    def start(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}")
        return subprocess.Popen(["./run.sh", *arguments], cwd=self.root, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def run_script(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate()
        # Said after two seconds, which a busy machine may take.
        err = "".join(line for line in err.splitlines(keepends=True) if "building what" not in line)
        return process.returncode, out, err

    def builds(self):
        file = self.root / "build/builds"
        return len(file.read_text().splitlines()) if file.exists() else 0

    def assert_runs(self, arguments, expected):
        code, out, err = self.run_script(*arguments)
        self.assertEqual((code, out, err), (0, expected + "\n", ""))

    def assert_refused(self, arguments, *parts):
        before = self.builds()
        code, out, err = self.run_script(*arguments)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.count("\n"), 1, err)
        for part in ("run.sh: ", *parts):
            self.assertIn(part, err)
        self.assertEqual(self.builds(), before, "nothing is built for a mistake")

    def test_a_first_build_is_told_once(self):
        os.remove(self.root / "build/baghzero")
        # Longer than it takes until a later build is told.
        self.script(self.root / "bin/ninja", """
            sleep 3
            printf '#!/bin/sh\\necho "program: $*"\\n' > "$2/baghzero"
            chmod +x "$2/baghzero"
            """)
        process = self.start("perft", "--depth", "1")
        out, err = process.communicate()
        self.assertEqual((process.returncode, out), (0, "program: perft --depth 1\n"))
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn("the first time this takes minutes", err)

    def test_passes_commands_on(self):
        self.assert_runs(["match", "a", "b c"], "program: match a b c")
        self.assert_runs(["analyze"], "program: analyze")
        self.assert_runs(["--help-program"], "program: --help")
        self.assert_runs(["--version"], "program: --version")
        self.assert_runs(["train", "configs/cpu.toml", "--help"], "program: train --help")

    def test_knows_every_command_of_the_program(self):
        program = os.environ["BAGHZERO_BINARY"]
        help_text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True)
        listed = help_text.stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        for line in listed.splitlines():
            if line.startswith("  ") and line[2] != " ":
                name = line.split()[0]
                if name != "train":
                    self.assert_runs([name], f"program: {name}")

    def test_refuses_mistakes_before_anything_is_built(self):
        self.assert_refused(["nonsense", "a"], 'unknown command "nonsense"', "match", "setup")
        self.assert_refused(["matc."], "unknown command")
        self.assert_refused(["build", "now"], "takes no arguments, not 'now'")
        self.assert_refused(["--help-program", "x"], "takes no arguments")
        self.assert_refused(["help", "x"], "takes no arguments")
        self.assert_refused(["setup", "--gpu"], "--cpu and --cuda, not '--gpu'")
        self.assert_refused(["setup", "--cpu", "--cuda"], "one option at most")
        self.assert_refused(["train", "--run"], "--run wants a value")
        self.assert_refused(["train", "--run", "--resume"], "--run wants a value")
        self.assert_refused(["train", "--set"], "--set wants a value")
        self.assert_refused(["train", "--folder", "x"], "unknown option '--folder'")
        self.assert_refused(["train", "configs"], "'configs' is no configuration file", "quick.toml")
        self.assert_refused(["train", "none.toml"], "'none.toml' is no configuration file")
        self.assert_refused(["train", "configs/cpu.toml", "configs/gpu.toml"], "one configuration")

    def test_train_fills_in_what_is_left_out(self):
        self.assert_runs(["train"], "program: train configs/quick.toml --run runs/quick --continue")
        self.assert_runs(["train", "--set", "run.seed=3", "configs/cpu.toml"],
                         "program: train --set run.seed=3 configs/cpu.toml --run runs/cpu --continue")
        self.assert_runs(["train", "--run=r"], "program: train configs/quick.toml --run=r --continue")
        self.assert_runs(["train", "--resume", "--run", "r"], "program: train --resume --run r")
        run = self.root / "runs/quick"
        run.mkdir(parents=True)
        for name in ("run.sqlite", "run.toml"):
            (run / name).write_text("x")
        self.assert_runs(["train"], "program: train --run runs/quick --continue")
        self.assert_runs(["train", "--resume"], "program: train --resume --run runs/quick")
        (run / "run.toml").unlink()
        self.assert_runs(["train", "--resume"],
                         "program: train configs/quick.toml --resume --run runs/quick")

    def test_test_passes_options_to_ctest(self):
        fast = "--output-on-failure --no-tests=error"
        code, out, err = self.run_script("test", "-R", "x")
        self.assertEqual((code, err), (0, ""))
        self.assertIn(fast, out)
        self.assertTrue(out.endswith("-LE slow -R x\n"), out)
        code, out, err = self.run_script("test", "-R", "x", "--all")
        self.assertNotIn("slow", out)
        self.assertTrue(out.endswith("-R x\n"), out)

    def test_two_do_not_build_at_once(self):
        # The first build waits until this test lets it go on.
        gate = self.root / "gate"
        self.script(self.root / "bin/ninja", f"""\
            test ! -e "$2/busy" || echo collision >> "$2/collisions"
            touch "$2/busy"
            while [ ! -e "{gate}" ]; do sleep 0.02; done
            rm "$2/busy"
            """)
        first = self.start("build")
        while not (self.root / "build/busy").exists():
            self.assertIsNone(first.poll())
            time.sleep(0.02)
        second = self.start("perft")
        said = second.stderr.readline()
        self.assertIn("another run.sh is setting up or building", said)
        gate.touch()
        self.assertEqual(first.wait(), 0, first.communicate())
        out, _ = second.communicate()
        self.assertEqual((second.returncode, out), (0, "program: perft\n"))
        first.communicate()
        self.assertFalse((self.root / "build/collisions").exists())

    def test_the_program_does_not_hold_the_lock(self):
        self.script(self.root / "build/baghzero", "exec sleep 1000")
        long_run = self.start("bench")
        self.addCleanup(long_run.communicate)
        self.addCleanup(long_run.kill)
        while b"sleep" not in (pathlib.Path("/proc") / str(long_run.pid) / "cmdline").read_bytes():
            self.assertIsNone(long_run.poll())
            time.sleep(0.02)
        code, _, err = self.run_script("build")
        self.assertEqual((code, err), (0, ""))


if __name__ == "__main__":
    unittest.main()
