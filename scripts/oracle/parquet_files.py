"""Writes Parquet files by pyarrow, pandas, fastparquet, DuckDB and polars in every type, each beside the texts of its values.

    pip install pyarrow pandas fastparquet duckdb polars
    python scripts/oracle/parquet_files.py datasets/testdata/parquet/written.zip

NAME.csv has the values of NAME.parquet. They are written from the values in Python, so that no Parquet is read for them. A
file without a CSV file has a column named "refused", which the program does not read.
"""
import datetime as dt
import decimal
import io
import math
import os
import sys
import tempfile
import uuid
import zipfile

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

N = 40
D = decimal.Decimal
decimal.getcontext().prec = 80
UTC = dt.timezone.utc
archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)


def add(name, data):
    archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)


def fraction(text, digits):
    return text + ("." + digits.rstrip("0") if digits.strip("0") else "")


def text(v):
    """One value as the program is to read it."""
    if v is None or v is pd.NA or v is pd.NaT or (isinstance(v, float) and math.isnan(v)):
        return ""
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, float):
        return repr(v)
    if isinstance(v, D):
        return f"{v:f}"
    if isinstance(v, dt.datetime):
        said = fraction(v.strftime("%Y-%m-%dT%H:%M:%S"), f"{v.microsecond:06d}")
        return said + ("Z" if v.tzinfo else "")
    if isinstance(v, dt.time):
        return fraction(v.strftime("%H:%M:%S"), f"{v.microsecond:06d}")
    if isinstance(v, dt.date):
        return v.isoformat()
    if isinstance(v, bytes):
        try:
            said = v.decode()
            if all(c >= " " for c in said):
                return said
        except UnicodeDecodeError:
            pass
        return "\\x" + v.hex()
    return str(v)


def write(name, parquet, columns=None):
    """One file, and the CSV file of its values."""
    add(name + ".parquet", parquet)
    if columns is not None:
        quoted = lambda s: '"' + s.replace('"', '""') + '"'
        lines = [",".join(quoted(c) for c in columns)]
        for i in range(len(next(iter(columns.values())))):
            lines.append(",".join(quoted(text(values[i])) for values in columns.values()))
        add(name + ".csv", "\n".join(lines) + "\n")


def gaps(values, every=11):
    return [None if i % every == 3 else v for i, v in enumerate(values)]


def spread(low, high):
    """Whole numbers with both ends."""
    return gaps([[low, high, 0, 1, i][i % 5] for i in range(N)])


NUMBERS = {f"int{b}": spread(-(2 ** (b - 1)), 2 ** (b - 1) - 1) for b in (8, 16, 32, 64)}
NUMBERS |= {f"uint{b}": spread(0, 2**b - 1) for b in (8, 16, 32, 64)}
HALF = gaps([[0.0, -0.5, 65504.0, 6e-8, 1.0 / 3][i % 5] for i in range(N)])
HALF = [None if v is None else float(pa.scalar(v, pa.float64()).cast(pa.float16(), safe=False).as_py()) for v in HALF]
SINGLE = [None if v is None else pa.scalar(v, pa.float32()).as_py() for v in gaps([i * 0.1 - 1 for i in range(N)])]
DOUBLE = gaps([float("nan") if i % 7 == 5 else (i - 20) / 7 * 10.0 ** (i % 9 * 30 - 120) for i in range(N)])
TRUTH = gaps([i % 3 == 0 for i in range(N)])
WORDS = gaps([["red", "blue, dark", 'gr"een', "ünï", "two\nlines"][i % 5] for i in range(N)])
BYTES = gaps([[b"ab", b"\x00\xff", "é".encode(), b"\xff\xfe"][i % 4] for i in range(N)])
DAYS = gaps([dt.date(1969, 12, 1) + dt.timedelta(i * 37) for i in range(N)])
MOMENTS = gaps([dt.datetime(1969, 12, 31, 23, 59, 58) + dt.timedelta(days=i * 400, seconds=i) for i in range(N)])
MILLIS = gaps([dt.datetime(1969, 12, 31, 23, 59, 58) + dt.timedelta(seconds=i, milliseconds=i) for i in range(N)])
MICROS = gaps([dt.datetime(1969, 12, 31, 23, 59, 58) + dt.timedelta(seconds=i, microseconds=i * 7) for i in range(N)])
ZONED = [None if v is None else v.replace(tzinfo=UTC) for v in MICROS]
TIMES = gaps([dt.time(i % 24, i, 59 - i, i * 1000) for i in range(N)])


def decimals(precision, scale):
    most = D(10**precision - 1).scaleb(-scale)
    return gaps([[most, -most, D(0).scaleb(-scale), D(-1).scaleb(-scale), D(i % 10).scaleb(-scale)][i % 5] for i in range(N)])


def arrow_columns():
    c = {k: (v, getattr(pa, k)()) for k, v in NUMBERS.items()}
    c |= {"half": (HALF, pa.float16()), "single": (SINGLE, pa.float32()), "double": (DOUBLE, pa.float64())}
    c |= {"truth": (TRUTH, pa.bool_()), "words": (WORDS, pa.string()), "large": (WORDS, pa.large_string())}
    c |= {"bytes": (BYTES, pa.binary()), "fixed": (gaps([b"ab\x01", b"xyz"] * (N // 2)), pa.binary(3))}
    c |= {"coded": (WORDS, pa.dictionary(pa.int8(), pa.string())), "view": (WORDS, pa.string_view())}
    c |= {"day": (DAYS, pa.date32()), "day64": (DAYS, pa.date64())}
    c |= {"s": (MOMENTS, pa.timestamp("s")), "ms": (MILLIS, pa.timestamp("ms")), "us": (MICROS, pa.timestamp("us"))}
    c |= {"ns": (MICROS, pa.timestamp("ns")), "zoned": (ZONED, pa.timestamp("us", "UTC")), "rome": (ZONED, pa.timestamp("ns", "Europe/Rome"))}
    c |= {"time32": (TIMES, pa.time32("ms")), "time64": (TIMES, pa.time64("us")), "timens": (TIMES, pa.time64("ns"))}
    c |= {f"d{p}_{s}": (decimals(p, s), pa.decimal128(p, s)) for p, s in ((1, 0), (9, 2), (18, 18), (19, 3), (38, 10), (38, 38))}
    c |= {"d76": (decimals(76, 20), pa.decimal256(76, 20)), "d32": (decimals(5, 2), pa.decimal32(5, 2)), "d64": (decimals(15, 4), pa.decimal64(15, 4))}
    c |= {"nothing": ([None] * N, pa.null()), "uuid": ([uuid.UUID(int=i * 2**64 + i) for i in range(N)], pa.uuid())}
    return c


def arrow(name, columns, **options):
    arrays = {}
    for k, (v, t) in columns.items():
        if t == pa.uuid():
            arrays[k] = pa.array([u.bytes for u in v], pa.binary(16)).cast(pa.uuid())
        else:
            arrays[k] = pa.array(v, t)
    out = io.BytesIO()
    pq.write_table(pa.table(arrays), out, **options)
    write(name, out.getvalue(), {k: v for k, (v, _) in columns.items()})


def by_pyarrow():
    every = arrow_columns()
    arrow("arrow", every)
    arrow("arrow-groups", every, row_group_size=7, data_page_size=64, data_page_version="2.0", use_dictionary=False)
    arrow("arrow-1.0", {k: v for k, v in every.items() if k not in ("ns", "rome", "timens")}, version="1.0")
    arrow("arrow-integers", {k: v for k, v in every.items() if k[0] == "d" and k[1].isdigit()}, store_decimal_as_integer=True)
    stamps = {k: v for k, v in every.items() if k in ("s", "ms", "us", "ns")}
    arrow("arrow-int96", stamps, use_deprecated_int96_timestamps=True)
    some = {k: every[k] for k in ("int32", "int64", "single", "double", "truth", "words", "d9_2")}
    for codec in ("none", "snappy", "gzip", "zstd", "lz4", "brotli"):
        arrow("arrow-" + codec, some, compression=codec, data_page_version="2.0" if codec in "zstd" else "1.0")
    for kind, encodings in {
        "plain": dict.fromkeys(some, "PLAIN"),
        "delta": {"int32": "DELTA_BINARY_PACKED", "int64": "DELTA_BINARY_PACKED", "words": "DELTA_BYTE_ARRAY", "truth": "RLE"},
        "split": {"int32": "BYTE_STREAM_SPLIT", "int64": "BYTE_STREAM_SPLIT", "single": "BYTE_STREAM_SPLIT",
                  "double": "BYTE_STREAM_SPLIT", "d9_2": "BYTE_STREAM_SPLIT", "words": "DELTA_LENGTH_BYTE_ARRAY"},
    }.items():
        arrow("arrow-" + kind, some, use_dictionary=False, column_encoding=encodings)
    out = io.BytesIO()
    table = pa.table({k: pa.array(v, t) for k, (v, t) in some.items()})
    with pq.ParquetWriter(out, table.schema) as w:  # groups without rows: at the start, between and at the end
        for part in (table[:0], table[:13], table[:0], table[13:], table[:0]):
            w.write_table(part)
    write("arrow-empty-groups", out.getvalue(), {k: v for k, (v, _) in some.items()})
    for name, nested in {
        "list": pa.array([[1, 2]] * N), "struct": pa.array([{"a": 1}] * N),
        "map": pa.array([[("k", 1)]] * N, pa.map_(pa.string(), pa.int64())), "vector": pa.array([[1.0, 2.0]] * N, pa.list_(pa.float32(), 2)),
    }.items():
        out = io.BytesIO()
        pq.write_table(pa.table({"x": range(N), "refused": nested}), out)
        write("refused-" + name, out.getvalue())


def by_pandas():
    frame = pd.DataFrame({
        "number": pd.array(NUMBERS["int64"], "Int64"), "truth": pd.array(TRUTH, "boolean"), "words": pd.array(WORDS, "string"),
        "objects": pd.Series(WORDS, dtype=object), "category": pd.Categorical(WORDS), "grade": pd.Categorical(gaps([i % 3 for i in range(N)])),
        "when": pd.to_datetime(pd.Series(MICROS)), "zoned": pd.to_datetime(pd.Series(ZONED), utc=True), "double": DOUBLE,
        "money": pd.Series(decimals(7, 2), dtype=object), "single": pd.array(SINGLE, "Float32"), "large": pd.array(NUMBERS["uint64"], "UInt64"),
    })
    values = {"number": NUMBERS["int64"], "truth": TRUTH, "words": WORDS, "objects": WORDS, "category": WORDS, "grade": gaps([i % 3 for i in range(N)]),
              "when": MICROS, "zoned": ZONED, "double": DOUBLE, "money": decimals(7, 2), "single": SINGLE, "large": NUMBERS["uint64"]}
    write("pandas", frame.to_parquet(), values)
    order = sorted(range(N), key=lambda i: i * 17 % N)
    shuffled = {k: [v[i] for i in order] for k, v in values.items()}
    write("pandas-shuffled", frame.iloc[order].to_parquet(), shuffled)
    write("pandas-no-index", frame.iloc[order].to_parquet(index=False), shuffled)
    two = frame.iloc[order].set_index([pd.Index(range(N)), pd.Index(range(N))])
    write("pandas-two-indices", two.to_parquet(), shuffled)
    named = frame.iloc[order].set_index(pd.Index([i * 17 % N for i in range(N)], name="patient"))
    write("pandas-named-index", named.to_parquet(), {**shuffled, "patient": [i * 17 % N for i in range(N)]})
    # fastparquet writes no integers of pandas with gaps as such, and other encodings of texts
    plain = pd.DataFrame({"int32": pd.Series(range(N), dtype="int32"), "double": DOUBLE, "truth": [i % 3 == 0 for i in range(N)],
                          "words": ["ab" if v is None else v for v in WORDS], "when": pd.to_datetime(pd.Series(MOMENTS)).astype("datetime64[ns]")})
    same = {"int32": list(range(N)), "double": DOUBLE, "truth": [i % 3 == 0 for i in range(N)],
            "words": ["ab" if v is None else v for v in WORDS], "when": MOMENTS}
    for name, options in {"fastparquet": {}, "fastparquet-gzip": {"compression": "gzip"}}.items():
        try:
            with tempfile.TemporaryDirectory() as folder:
                plain.to_parquet(os.path.join(folder, "f"), engine="fastparquet", **options)
                write(name, open(os.path.join(folder, "f"), "rb").read(), same)
        except Exception as e:
            print(name, "is not written:", e)


def by_duckdb():
    db = duckdb.connect()
    types = {f"{u}{t}": NUMBERS[("uint" if u else "int") + b] for u in ("", "u") for t, b in
             (("tinyint", "8"), ("smallint", "16"), ("integer", "32"), ("bigint", "64"))}
    types |= {"hugeint": gaps([2**100 * (-1) ** i for i in range(N)]), "uhugeint": gaps([2**120 for i in range(N)])}
    types |= {"float": SINGLE, "double": DOUBLE, "boolean": TRUTH, "varchar": WORDS, "blob": BYTES, "date": DAYS, "time": TIMES}
    types |= {f"decimal({p},{s})": decimals(p, s) for p, s in ((4, 1), (9, 2), (18, 3), (38, 10))}
    types |= {"timestamp": MICROS, "timestamp_s": MOMENTS, "timestamp_ms": MILLIS, "timestamp_ns": MICROS, "timestamptz": ZONED}
    types |= {"uuid": [uuid.UUID(int=i * 2**64 + i) for i in range(N)], "enum('red', 'green')": gaps([["red", "green"][i % 2] for i in range(N)])}
    columns, values = [], {}
    for k, (type_, v) in enumerate(types.items()):
        name = type_.split("(")[0] + (str(k) if "(" in type_ else "")
        columns.append((name, type_, v))
        values[name] = [float(x) if x is not None and "huge" in type_ else x for x in v]
    db.execute("SET TimeZone = 'UTC'")
    db.execute("CREATE TABLE t (" + ", ".join(f'"{n}" {t}' for n, t, _ in columns) + ")")
    db.executemany("INSERT INTO t VALUES (" + ", ".join(f"?::{t}" for _, t, _ in columns) + ")",
                   [[v[i] for _, _, v in columns] for i in range(N)])
    with tempfile.TemporaryDirectory() as folder:
        far = {"integer", "uinteger"}  # whose numbers are too far apart for the packing of V2
        for name, rows, options, out in (
            ("duckdb", "t", "", ()), ("duckdb-lz4", "t", ", COMPRESSION lz4_raw", ()),
            ("duckdb-v2", "(SELECT * EXCLUDE (integer, uinteger) FROM t)", ", PARQUET_VERSION V2, COMPRESSION zstd", far),
            ("refused-duckdb-v2", "(SELECT integer AS refused, double FROM t)", ", PARQUET_VERSION V2", None),
        ):
            path = os.path.join(folder, name)
            db.execute(f"COPY {rows} TO '{path}' (FORMAT parquet{options})")
            write(name, open(path, "rb").read(), None if out is None else {k: v for k, v in values.items() if k not in out})
        path = os.path.join(folder, "interval")
        db.execute(f"COPY (SELECT INTERVAL 3 MONTH + INTERVAL 2 DAY + INTERVAL 1500 MILLISECOND AS length, i AS x FROM range({N}) r(i)) TO '{path}' (FORMAT parquet)")
        write("duckdb-interval", open(path, "rb").read(), {"length": ["P3M2DT1.500S"] * N, "x": list(range(N))})
        for name, nested in {"list": "[1, 2]", "struct": "{'a': 1}", "map": "MAP {'k': 1}"}.items():
            path = os.path.join(folder, name)
            db.execute(f"COPY (SELECT i AS x, {nested} AS refused FROM range({N}) r(i)) TO '{path}' (FORMAT parquet)")
            write("refused-duckdb-" + name, open(path, "rb").read())


def by_polars():
    c = {k: pl.Series(k, v, getattr(pl, k.replace("uint", "UInt").replace("int", "Int") if k[0] == "i" else "U" + k[1:].replace("int", "Int")))
         for k, v in NUMBERS.items()}
    c |= {"single": pl.Series(SINGLE, dtype=pl.Float32), "double": pl.Series(DOUBLE, dtype=pl.Float64), "truth": pl.Series(TRUTH)}
    c |= {"words": pl.Series(WORDS), "category": pl.Series(WORDS, dtype=pl.Categorical), "bytes": pl.Series(BYTES)}
    c |= {"enum": pl.Series(WORDS, dtype=pl.Enum(sorted({w for w in WORDS if w})))}
    c |= {"day": pl.Series(DAYS), "time": pl.Series(TIMES), "ms": pl.Series(MILLIS, dtype=pl.Datetime("ms"))}
    c |= {"us": pl.Series(MICROS, dtype=pl.Datetime("us")), "ns": pl.Series(MICROS, dtype=pl.Datetime("ns"))}
    c |= {"zoned": pl.Series(ZONED, dtype=pl.Datetime("us", "UTC")), "money": pl.Series(decimals(38, 4), dtype=pl.Decimal(38, 4))}
    values = {**NUMBERS, "single": SINGLE, "double": DOUBLE, "truth": TRUTH, "words": WORDS, "category": WORDS, "bytes": BYTES, "enum": WORDS,
              "day": DAYS, "time": TIMES, "ms": MILLIS, "us": MICROS, "ns": MICROS, "zoned": ZONED, "money": decimals(38, 4)}
    for wide in ("Int128", "UInt128", "Float16"):
        if hasattr(pl, wide):
            large = HALF if wide == "Float16" else gaps([(-(2**100) if wide == "Int128" and i % 2 else 2**100) + i for i in range(N)])
            try:
                frame = pl.DataFrame({wide: pl.Series(large, dtype=getattr(pl, wide))})
                frame.write_parquet(io.BytesIO())
            except BaseException as e:
                print("polars writes no", wide, e)
                continue
            c[wide], values[wide] = frame[wide], large
    frame = pl.DataFrame(c)
    for name, options in {"polars": {}, "polars-zstd": {"compression": "zstd", "row_group_size": 9, "data_page_size": 64},
                          "polars-pyarrow": {"use_pyarrow": True}}.items():
        try:
            out = io.BytesIO()
            frame.write_parquet(out, **options)
            write(name, out.getvalue(), values)
        except BaseException as e:
            print(name, "is not written:", e)
    for name, nested in {"list": [[1, 2]] * N, "struct": [{"a": 1}] * N}.items():
        out = io.BytesIO()
        pl.DataFrame({"x": range(N), "refused": nested}).write_parquet(out)
        write("refused-polars-" + name, out.getvalue())


for by in (by_pyarrow, by_pandas, by_duckdb, by_polars):
    by()
archive.close()
