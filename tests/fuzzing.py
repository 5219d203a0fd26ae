"""Files and links from strangers: valid ones, changed at random, and the readers that must take them.

`READERS` names every reader with what makes an input from a random generator and what reads it. Reading may give a
value or raise an `OPNBError`, and nothing else. Most inputs are valid files with a few changes, because bytes at
random are turned away at the door; where a digest guards a file, the changes are made behind it.
"""

import copy
import gzip
import io
import json
import random
import zipfile
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load, save

from opnb.benchmark import read_results
from opnb.benchmark.rows import line_of
from opnb.data import Limits, PrepareOptions, Recipe, example_table, prepare, propose, read_table
from opnb.data.new_rows import table_of_row, usual_values
from opnb.errors import OPNBError
from opnb.estimators.loading import model_from_bytes
from opnb.estimators.model_files import _digest, model_to_bytes
from opnb.studio.benchmark.desk import rows_of
from opnb.studio.learn import links as lesson_links
from opnb.studio.visit import links
from opnb.studio.visit.arrivals import KeptFile, open_model, read_rows
from opnb.studio.visit.drawing import compute, compute_model, draw, with_new_rows
from opnb.studio.visit.new_rows import predict_table, predictor_of_file, predictor_of_fit
from opnb.studio.visit.new_rows_words import sentences
from opnb.studio.visit.settings import PictureSpec
from opnb.studio.visit.snapshot import items_of, opened
from opnb.studio.work.errands import Attended
from opnb.workspace import Item, pack, unpack
from tests import fuzzing_service
from tests.benchmark.samples import paper_results
from tests.data.messy_files import book_of
from tests.workspace.samples import fit_of_an_upload, snapshot

LIMITS = Limits(max_bytes=2**20, max_uncompressed=8 * 2**20, max_rows=20_000, max_columns=200, max_cells=200_000)
TOKENS = (
    *("", "0", "-1", "1e999", "nan", "inf", "-0.0", "1" * 400, "0x10", "1_000", "٣", "true", "null", "[]", "{}"),
    *(
        "[" * 3_000,
        '{"a":' * 2_000,
        "\x00",
        "\ufeff",
        "\u202e",
        "\ud7ff",
        "\U0010ffff",
        "a" * 3_000,
        "../../etc/passwd",
    ),
    *(
        "<script>",
        "=1+1",
        '"',
        "'",
        '"""',
        ",",
        ";",
        "\t",
        "\n",
        "\r\n",
        "\\",
        "%00",
        "${x}",
        "{{x}}",
        "\x1b[31m",
        "9" * 30,
    ),
)
NUMBERS = (0, -1, 1, 2**31, -(2**31), 2**63, 2**64 + 1, 1e308, -1e-308, float("nan"), float("inf"), 10**300)
ODD_VALUES: tuple[Any, ...] = (*NUMBERS, *TOKENS[:24], None, True, [], {}, [[]], {"a": {}}, ["x"] * 50)


def changed(rng: random.Random, data: bytes, others: tuple[bytes, ...] = ()) -> bytes:
    """Change bytes at a few random places."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(out) + 1)
        length = min(rng.choice((1, 1, 2, 4, 8, 64, 1_000)), len(out) - at)
        way = rng.randrange(8)
        if way == 0 and length:
            out[at : at + length] = rng.randbytes(length)
        elif way == 1 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif way == 2:
            del out[at : at + length]
        elif way == 3:
            out[at:at] = out[at : at + length] * rng.choice((1, 2, 50))
        elif way == 4:
            out[at:at] = rng.choice(TOKENS).encode("utf-8", "surrogatepass")
        elif way == 5:
            width = rng.choice((2, 4, 8))
            out[at : at + width] = rng.choice((0, 1, 2 ** (8 * width) - 1, 2 ** (8 * width - 1))).to_bytes(
                width, "little"
            )
        elif way == 6:
            del out[at:]
        elif others:
            other = rng.choice(others)
            start = rng.randrange(len(other))
            out[at : at + length] = other[start : start + max(length, 8)]
    return bytes(out)


def changed_value(rng: random.Random, value: Any) -> Any:
    """Change a few parts of a plain value as in JSON."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 4))):
        value = _changed_once(rng, value)
    return value


def _changed_once(rng: random.Random, value: Any) -> Any:
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.1:
        return copy.deepcopy(rng.choice(ODD_VALUES))  # or the next change would change the list of odd values
    place = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    way = rng.random()
    if way < 0.1:
        del value[place]
    elif way < 0.2 and isinstance(value, list):
        value.insert(place, copy.deepcopy(rng.choice(value)))
    elif way < 0.2:
        value[rng.choice(TOKENS)] = value[place]
    else:
        value[place] = _changed_once(rng, value[place])
    return value


def any_bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 4, 30, 300)))


# Samples ----------------------------------------------------------------------------------------------------------


@cache
def texts() -> tuple[bytes, ...]:
    frame = example_table("penguins").frame.iloc[::8]
    quoted = b'a,"b ""x""",c\n' + b'1,"two\nlines",x\n2,"one",y\n' * 5
    return (
        frame.to_csv(index=False).encode(),
        frame.to_csv(index=False, sep=";", decimal=",").encode("latin-1"),
        frame.to_csv(index=False, sep="\t").encode("utf-16"),
        quoted,
        b"\xef\xbb\xbflength width kind\n" + b"1 2 a\n3 4 b\n5 6 a\n2 2 b\n" * 3,
    )


@cache
def titled() -> tuple[bytes, ...]:
    """Tables with comments, titles, two rows of names, and marks around numbers."""
    rows = b"".join(b"%d %%,$%d.50,%d kg,%s\n" % (i, 1000 + i, i % 7, b"ab"[i % 2 : i % 2 + 1]) for i in range(20))
    return (
        b"# made by us\n// and them\n\nshare,price,mass,kind\n" + rows,
        b"A report,,,\n,,,\nshare,price,mass,kind\n" + rows + b"Source: us\n",
        b"plant,,,kind\nshare,price,mass,\n" + rows,
        b"sep=,\nshare,price,mass,kind\n" + rows,
    )


@cache
def notations() -> tuple[bytes, ...]:
    """JSON and ARFF."""
    frame = example_table("penguins").frame.iloc[::12]
    names = "".join(f"@attribute '{name}' {{a,b}}\n" for name in frame)
    body = frame.to_csv(index=False, header=False, na_rep="?", quotechar="'")
    return (
        frame.to_json(orient="records").encode(),
        frame.to_json(orient="records", lines=True).encode(),
        frame.to_json().encode(),
        json.dumps({name: column.dropna().tolist()[:20] for name, column in frame.items()}).encode(),
        f"% penguins\n@relation penguins\n{names}@data\n{body}".encode(),
    )


@cache
def packed() -> tuple[bytes, ...]:
    return tuple(gzip.compress(text) for text in texts())


@cache
def workbooks() -> tuple[bytes, ...]:
    out = io.BytesIO()
    example_table("penguins").frame.iloc[::25].to_excel(out, index=False)
    rows = [[i, i / 2, f"=A{i}", "ab"[i % 2]] for i in range(9)]
    notes = [["by Bob", None]]
    upper, lower = ["Size", None, "Sum", "Kind"], ["length", "width", "of both", None]
    return (out.getvalue(), book_of(["A3:B3"], Notes=notes, Data=[["A title"], [], upper, lower, *rows]))


@cache
def parquets() -> tuple[bytes, ...]:
    frame = example_table("penguins").frame.iloc[::11]
    samples = []
    for compression in ("snappy", "gzip", None):
        out = io.BytesIO()
        frame.assign(when=pd.Timestamp("2020-01-01"), kind=frame.iloc[:, 0].astype("category")).to_parquet(
            out, compression=compression
        )
        samples.append(out.getvalue())
    return tuple(samples)


@cache
def fit():
    return fit_of_an_upload()


@cache
def model() -> bytes:
    result = fit()
    result.classifier.recipe_ = result.dataset.recipe.to_dict()
    return model_to_bytes(result.classifier)


@cache
def new_rows() -> tuple[bytes, ...]:
    """New rows for the model: with classes and without, with more columns, with holes."""
    frame = fit().table.frame.head(12)
    return (
        frame.drop(columns="kind").to_csv(index=False).encode(),
        frame.assign(note="=1+1", kind=[*frame["kind"][1:], "c"]).to_csv(index=False).encode(),
        frame.mask(frame == 3).to_csv(index=False, sep=";").encode(),
    )


@cache
def results() -> tuple[bytes, ...]:
    rows = rows_of(paper_results())[:40]
    return (line_of(None) + b"".join(line_of(row) for row in rows), line_of(None))


@cache
def workspace_items() -> tuple[Item, ...]:
    files = {
        "rows": read_rows(Attended(), "rows.csv", new_rows()[0]),
        "unread": KeptFile("odd.csv", b"a~b\n1~2\n", {"encoding": "utf-8"}),
    }
    kept = snapshot(fit(), raw=b"length,width,kind\n1,2,a\n3,4,b\n", files=files)
    return tuple(items_of(kept))


@cache
def archive() -> bytes:
    return pack(workspace_items())


@cache
def queries() -> tuple[dict[str, str], ...]:
    spec = fit().spec
    full = {
        "data": "simulator:gaussian",
        "sim": '{"n": 300, "n_features": 10}',
        "directions": "3",
        "lam": "0.01",
        "penalty": "pooled",
        "init": "random",
        "starts": "4",
        "bins": "exact",
        "likelihood": "leave-one-out",
        "iterations": "50",
        "tol": "1e-4",
        "seed": "3",
        "x": "1",
        "y": "2",
        "lesson": "rotate",
        "frame": "3",
    }
    turned = PictureSpec(directions=(1, 0), boundary="full")
    return (links.to_query(spec, PictureSpec()), links.to_query(spec, turned), full)


# Inputs and readers -----------------------------------------------------------------------------------------------


def _bytes_of(samples):
    def make(rng: random.Random) -> bytes:
        known = samples()
        return any_bytes(rng) if rng.random() < 0.05 else changed(rng, rng.choice(known), known)

    return make


def _text(rng: random.Random) -> bytes:
    """Change cells of a table of text, or any bytes of it."""
    return _cells(rng, texts()) if rng.random() < 0.7 else _bytes_of(texts)(rng)


def _titled(rng: random.Random) -> bytes:
    return _cells(rng, titled()) if rng.random() < 0.7 else _bytes_of(titled)(rng)


def _notation(rng: random.Random) -> bytes:
    """Change cells, any bytes, or values of JSON."""
    way = rng.random()
    if way < 0.4:
        return _cells(rng, notations())
    if way < 0.7:
        return _bytes_of(notations)(rng)
    value = changed_value(rng, json.loads(rng.choice((notations()[0], notations()[2], notations()[3]))))
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _results(rng: random.Random) -> bytes:
    return _cells(rng, results()) if rng.random() < 0.7 else _bytes_of(results)(rng)


def _cells(rng: random.Random, samples: tuple[bytes, ...]) -> bytes:
    data = rng.choice(samples)
    mark = rng.choice((b",", b";", b"\t", b" ", b"\n"))
    cells = data.split(mark)
    for _ in range(rng.choice((1, 1, 2, 6))):
        at = rng.randrange(len(cells))
        cells[at] = rng.choice((rng.choice(cells), rng.choice(TOKENS).encode("utf-8", "surrogatepass"), b"7", b"2.5"))
    return mark.join(cells)


def _workbook(rng: random.Random) -> bytes:
    """Change a workbook outside, or one of the parts inside."""
    data = rng.choice(workbooks())
    if rng.random() < 0.2:
        return changed(rng, data)
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        names = before.namelist()
        victim = rng.choice([name for name in names if "sheet" in name or "styles" in name or "shared" in name] + names)
        for name in names:
            part = before.read(name)
            after.writestr(name, _cells(rng, (part.replace(b">", b"> "),)) if name == victim else part)
    return out.getvalue()


def _parquet(rng: random.Random) -> bytes:
    """Change a Parquet file, or write one of columns that no table should have."""
    if rng.random() < 0.6:
        return _bytes_of(parquets)(rng)
    names = [rng.choice((*TOKENS[:30], "a", "b", "target")) for _ in range(rng.randrange(1, 5))]
    rows = rng.choice((0, 1, 3, 30))
    columns = [
        pa.array([rng.choice(_CELLS[kind]) for _ in range(rows)], kind)
        for kind in rng.choices(list(_CELLS), k=len(names))
    ]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, names), out)
    return out.getvalue()


_CELLS = {
    pa.int64(): (0, 1, -(2**63), 2**63 - 1, None),
    pa.uint64(): (0, 2**64 - 1),
    pa.float64(): (0.5, float("nan"), float("inf"), -1e308, None),
    pa.float16(): (np.float16(1), np.float16(np.inf)),
    pa.string(): (*TOKENS, None),
    pa.binary(): (b"", b"\xff\xfe", b"abc"),
    pa.bool_(): (True, False, None),
    pa.decimal128(38, 5): (Decimal("1.5"), Decimal(10) ** 30, None),
    pa.date32(): (0, 2**31 - 1, -(2**31), None),
    pa.timestamp("ns", tz="UTC"): (0, 2**62, -(2**62), None),
    pa.timestamp("s"): (0, 2**50, None),
    pa.time64("us"): (0, 86_399_999_999),
    pa.duration("s"): (0, 2**40),
    pa.null(): (None,),
    pa.list_(pa.int64()): ([], [1, 2], None),
    pa.struct([("a", pa.int64())]): ({"a": 1}, None),
    pa.map_(pa.string(), pa.int64()): ([("a", 1)], []),
}


def _gz(rng: random.Random) -> bytes:
    if rng.random() < 0.5:
        return changed(rng, rng.choice(packed()), packed())
    return gzip.compress(_text(rng), compresslevel=1)


def _rows(rng: random.Random) -> bytes:
    """Change cells or bytes of a table of new rows."""
    return _cells(rng, new_rows()) if rng.random() < 0.8 else _bytes_of(new_rows)(rng)


def _model(rng: random.Random) -> bytes:
    """Change a model file outside, or its description and arrays with a digest that fits."""
    data = model()
    if rng.random() < 0.3:
        return changed(rng, data)
    arrays = {name: array.copy() for name, array in load(data).items()}
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    text = header["model"]
    if rng.random() < 0.6:
        text = json.dumps(changed_value(rng, json.loads(text)))
    if rng.random() < 0.6:
        name = rng.choice(list(arrays))
        arrays[name] = _changed_array(rng, arrays[name])
    return save(arrays, metadata={"format": header["format"], "model": text, "digest": _digest(text, arrays)})


def _changed_array(rng: random.Random, array: np.ndarray) -> np.ndarray:
    way = rng.randrange(6)
    flat = array.ravel().copy()
    if way == 0 and flat.size and flat.dtype.kind == "f":
        flat[rng.randrange(flat.size)] = rng.choice((np.nan, np.inf, -1e308, 0.0, -1.0))
    elif way == 1 and flat.size and flat.dtype.kind in "iu":
        flat[rng.randrange(flat.size)] = rng.choice((0, -1, 10**9, -(2**62)))
    elif way == 2:
        return flat
    elif way == 3:
        return array[..., : rng.randrange(array.shape[-1] + 1)] if array.ndim else array
    elif way == 4:
        return array.astype(rng.choice(("float32", "int64", "uint8", "bool")), casting="unsafe")
    elif way == 5 and array.ndim:
        return np.concatenate([array, array])
    return np.ascontiguousarray(flat.reshape(array.shape))


def _archive(rng: random.Random) -> bytes:
    """Change a workspace file outside, or what its items say and hold."""
    if rng.random() < 0.25:
        return changed(rng, archive())
    items = []
    for item in workspace_items():
        about, content = item.about, item.content
        if rng.random() < 0.5:
            about = changed_value(rng, about) if rng.random() < 0.6 else about
            if content is not None and rng.random() < 0.5:
                data = _model(rng) if item.kind == "fit" else changed(rng, content())
                content = lambda data=data: data  # noqa: E731
        if isinstance(about, dict) and rng.random() > 0.03:
            items.append(_Loose(item.kind, item.key, about, content, item.needs, item.made))
    try:
        return pack(items)
    except ValueError:  # of a number that JSON does not know
        return changed(rng, archive())


@dataclass
class _Loose:
    """An item whose form nobody has checked."""

    kind: Any
    key: Any
    about: Any
    content: Any
    needs: Any
    made: Any


def _query(rng: random.Random) -> dict[str, str]:
    query = dict(rng.choice(queries()))
    for _ in range(rng.choice((1, 1, 2, 5))):
        name = rng.choice([*query, *(key for known in queries() for key in known), "unknown"])
        text = query.get(name, "")
        way = rng.randrange(4)
        if way == 0:
            query[name] = rng.choice(TOKENS)
        elif way == 1:
            query[name] = changed(rng, text.encode()).decode("utf-8", "replace")
        elif way == 2:
            query[name] = rng.choice(list(query.values()))
        else:
            query.pop(name, None)
    return query


def _table(data: bytes) -> None:
    table = read_table(data, name="a file", limits=LIMITS)
    proposal = propose(table)
    codes = {column.name: column.codes for column in proposal.columns}
    dataset = prepare(table, proposal.target, options=PrepareOptions(missing_codes=codes))
    applied = Recipe.from_dict(dataset.recipe.to_dict()).apply_rows(table)
    assert np.array_equal(applied.X[dataset.rows], dataset.X), "rows of training are made again"


def _read_model(data: bytes) -> None:
    classifier = model_from_bytes(data)
    if classifier.recipe_ is not None:
        Recipe.from_dict(classifier.recipe_)
    classifier.predict_log_proba(np.zeros((3, classifier.n_features_in_)))


def _predict_rows(data: bytes) -> None:
    predicted = predict_table(predictor_of_fit(fit()), read_rows(Attended(), "rows.csv", data).table)
    assert len(predicted.frame) == len(predicted.table.frame), "no row is lost"
    assert sentences(predicted)
    predicted.csv()
    shown = compute(fit(), PictureSpec())
    with_new_rows(draw(shown), shown, [predicted.new]).to_json()


def _show_model(data: bytes) -> None:
    file = open_model("a model", data)
    draw(compute_model(file, PictureSpec())).to_json()
    values = table_of_row(usual_values(file.recipe))
    predict_table(predictor_of_file(file), values).csv()


def _read_workspace(data: bytes) -> None:
    opened(unpack(data, 50 * 2**20), own=False)


def _follow(query: dict[str, str]) -> None:
    link = links.from_query(query)
    assert links.from_query(links.to_query(link.spec, link.picture)).problems == (), "what was read can be read again"
    lesson_links.from_query(query)


READERS = {
    "text tables": (_text, _table),
    "titled tables": (_titled, _table),
    "JSON and ARFF": (_notation, _table),
    "gzip": (_gz, _table),
    "Excel": (_workbook, _table),
    "Parquet": (_parquet, _table),
    "models": (_model, _read_model),
    "models that are shown": (_model, _show_model),
    "new rows": (_rows, _predict_rows),
    "results": (_results, read_results),
    "workspaces": (_archive, _read_workspace),
    "links": (_query, _follow),
    "requests": (fuzzing_service.request, fuzzing_service.answer),
    "limits": (fuzzing_service.environment, fuzzing_service.read_limits),
    "sizes": (lambda rng: rng.choice((_gz, _workbook, _parquet, _archive, _text))(rng), fuzzing_service.weigh),
    "restored workspaces": (_archive, fuzzing_service.restore),
}


def take(name: str, seed: int) -> bool:
    """Make the input of a seed, read it, and tell whether it was accepted."""
    make, read = READERS[name]
    given = make(random.Random(seed))
    try:
        read(given)
    except OPNBError:
        return False
    return True
