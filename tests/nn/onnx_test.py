#!/usr/bin/env python3
"""Exports a network as ONNX and runs it in ONNX Runtime: onnx_test.py BAGHZERO FIXTURE

BAGHZERO is the program, FIXTURE the program board_fixture, which makes the network. The exported
files must pass the checker of the onnx package, say what they are, and give the answers that are
stored in the model file, in batches of several sizes. Needs onnx, onnxruntime, numpy and xxhash.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import read_model  # noqa: E402

TOLERANCES = {"fp32": 1e-4, "fp16": 0.02}  # of a probability; nn/export.h
ACTIONS = 217


def shape_of(value):
    assert value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT, value.name
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def check_description(model, header, precision):
    """Names, shapes, versions and metadata, as docs/model-format.md tells them."""
    assert [(s.domain, s.version) for s in model.opset_import] == [("", 17)], model.opset_import
    assert model.ir_version == 8
    assert {v.name: shape_of(v) for v in model.graph.input} == {"planes": ["batch", 24, 5, 5]}
    assert {v.name: shape_of(v) for v in model.graph.output} == {
        "policy_logits": ["batch", ACTIONS], "wdl": ["batch", 3]}
    kinds = {t.data_type for t in model.graph.initializer if t.name != "policy.index"}
    wanted = onnx.TensorProto.FLOAT16 if precision == "fp16" else onnx.TensorProto.FLOAT
    assert kinds == {wanted}, f"tensors of {precision} are of the types {kinds}"

    said = {entry.key: entry.value for entry in model.metadata_props}
    for key in ("architecture", "rules", "provenance", "input_planes", "actions", "generation"):
        assert json.loads(said[key]) == header[key], f"metadata {key}: {said[key]}"
    assert said["precision"] == precision
    assert said["program"] == model.producer_name == "BaghZero"
    assert said["program_version"] == model.producer_version != ""
    assert json.loads(said["outputs"]) == ["policy_logits", "wdl"]


def softmax(logits):
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def worst_difference(session, checks):
    """Between what a batch of check positions gives and what is stored with them."""
    planes = np.stack([read_model.planes(check) for check in checks]).astype(np.float32)
    policy, wdl = session.run(["policy_logits", "wdl"], {"planes": planes})
    assert policy.shape == (len(checks), ACTIONS) and wdl.shape == (len(checks), 3)
    assert policy.dtype == wdl.dtype == np.float32
    worst = 0.0
    for row, check in enumerate(checks):
        shares = softmax(policy[row, check["legal"]])
        differences = [*(shares - check["policy"]), *(wdl[row] - check["wdl"])]
        assert np.isfinite(differences).all()
        worst = max(worst, np.abs(differences).max())
    return worst


def main(program, fixture):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([fixture, folder], check=True)
        header, _ = read_model.read(folder / "model.bzn")
        for precision, tolerance in TOLERANCES.items():
            file = folder / f"model-{precision}.onnx"
            subprocess.run([program, "export", folder / "model.bzn", "--format", "onnx",
                            "--precision", precision, "--out", file], check=True)
            onnx.checker.check_model(str(file), full_check=True)
            check_description(onnx.load(file), header, precision)
            session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
            checks = header["checks"]
            for size in (1, 3, len(checks)):
                worst = max(worst_difference(session, checks[begin:begin + size])
                            for begin in range(0, len(checks), size))
                print(f"{precision}, batches of {size}: largest difference {worst:.1e}")
                assert worst < tolerance, f"beyond {tolerance}"
    print(f"passed with onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
