//! The timeline as Parquet: a row for each state of a warp.

use super::{Row, TimelineRecord};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// The columns, as those of the CSV.
const SCHEMA: &str = "message timeline {
    REQUIRED INT32 sm (INTEGER(32, false));
    REQUIRED INT32 scheduler (INTEGER(32, false));
    REQUIRED INT32 slot (INTEGER(32, false));
    REQUIRED INT64 block (INTEGER(64, false));
    REQUIRED INT32 warp (INTEGER(32, false));
    REQUIRED INT64 from (INTEGER(64, false));
    REQUIRED INT64 to (INTEGER(64, false));
    REQUIRED BYTE_ARRAY state (STRING);
    REQUIRED INT64 address (INTEGER(64, false));
    REQUIRED BYTE_ARRAY instruction (STRING);
    REQUIRED BYTE_ARRAY place (STRING);
}";

/// The timeline as the bytes of a Parquet file: a row for each state of a warp, by its beginning.
///
/// # Errors
/// When a value cannot be written.
pub fn timeline_parquet(record: &TimelineRecord<'_>) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let rows = record.rows();
    let mut group = writer.next_row_group()?;
    write::<Int32Type>(&mut group, &rows, |_| record.sm.cast_signed())?;
    write::<Int32Type>(&mut group, &rows, |row| row.scheduler.cast_signed())?;
    write::<Int32Type>(&mut group, &rows, |row| row.slot.into())?;
    write::<Int64Type>(&mut group, &rows, |row| row.block.cast_signed())?;
    write::<Int32Type>(&mut group, &rows, |row| row.warp.cast_signed())?;
    write::<Int64Type>(&mut group, &rows, |row| row.from.cast_signed())?;
    write::<Int64Type>(&mut group, &rows, |row| row.to.cast_signed())?;
    write::<ByteArrayType>(&mut group, &rows, |row| row.state.name().into())?;
    write::<Int64Type>(&mut group, &rows, |row| row.address.cast_signed())?;
    write::<ByteArrayType>(&mut group, &rows, |row| row.instruction.into())?;
    write::<ByteArrayType>(&mut group, &rows, |row| row.place.into())?;
    group.close()?;
    writer.into_inner()
}

/// Writes the next column.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    rows: &[Row<'_>],
    value: impl Fn(&Row<'_>) -> T::T,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    let values: Vec<T::T> = rows.iter().map(value).collect();
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}
