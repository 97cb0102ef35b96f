"""Writes mixed.parquet with pyarrow, and mixed.csv with the same values as text: pip install pyarrow; python make.py"""

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

n = 40
columns = {
    "double": pa.array([None if i % 11 == 3 else (float("nan") if i % 11 == 7 else i / 7 - 2) for i in range(n)], pa.float64()),
    "single": pa.array([i * 0.1 for i in range(n)], pa.float32()),
    "small": pa.array([i % 5 - 2 for i in range(n)], pa.int8()),
    "large": pa.array([2**62 + i if i % 2 else -i for i in range(n)], pa.int64()),
    "unsigned": pa.array([2**32 - 1 - i for i in range(n)], pa.uint32()),
    "truth": pa.array([None if i == 5 else i % 3 == 0 for i in range(n)], pa.bool_()),
    "colour": pa.array([None if i % 13 == 12 else ["red", "blue, dark", 'gr"een', "ünï"][i % 4] for i in range(n)], pa.string()),
    "kind": pa.array([["a", "b", "c"][i % 3] for i in range(n)]).dictionary_encode(),
    "day": pa.array([datetime.date(1969, 12, 30) + datetime.timedelta(i) for i in range(n)], pa.date32()),
    "moment": pa.array([datetime.datetime(2020, 1, 1, 0, 0, i) for i in range(n)], pa.timestamp("ms")),
    "price": pa.array([decimal.Decimal(i * 5 - 7) / 100 for i in range(n)], pa.decimal128(7, 2)),
    "label": pa.array(["yes" if i % 2 else "no" for i in range(n)]),
}
pq.write_table(pa.table(columns), "mixed.parquet", row_group_size=17, store_decimal_as_integer=True)


def text(name, value):
    if value is None or value != value:
        return ""
    if name == "moment":
        return value.strftime("%Y-%m-%dT%H:%M:%S")
    if name == "price":
        return f"{value:.2f}"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    said = str(value)
    return '"' + said.replace('"', '""') + '"' if set(said) & set(',"') else said


with open("mixed.csv", "w") as f:
    f.write(",".join(columns) + "\n")
    for i in range(n):
        f.write(",".join(text(name, column[i].as_py()) for name, column in columns.items()) + "\n")
