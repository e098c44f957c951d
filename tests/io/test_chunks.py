"""Tables in chunks of rows."""

from pulps.io.chunks import read_chunks


def test_a_column_has_one_type_in_all_chunks(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n1,1,x\n2,2,\n3.5,x,y\n4,,z\n")
    chunks = list(read_chunks(path, 2).tables)
    assert [chunk.num_rows for chunk in chunks] == [2, 2]
    assert chunks[0].schema.equals(chunks[1].schema)
    assert chunks[0].column("a").to_pylist() == ["1", "2"]
    assert chunks[0].column("b").to_pylist() == ["1", "2"]
    assert chunks[1].column("b").to_pylist() == ["x", None]
