//! Products of matrices, row by row in one list of numbers.

use super::wide::wide;

/// Rows and columns of the block whose sums are kept in registers: eight registers of eight numbers with AVX2.
const ROWS: usize = 4;
const COLUMNS: usize = 16;

/// Columns of a block at the end of a row.
const LAST_COLUMNS: usize = 4;

/// Adds to `out` (rows x columns) the product of `left` (rows x inner) and `right` (inner x columns).
///
/// Each sum starts from what `out` holds, and goes through `inner` in order.
pub fn add_product(left: &[f32], right: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    if inner > 0 && columns > 0 {
        wide(
            #[inline(always)]
            || add_all(left, right, inner, columns, out),
        );
    }
}

#[inline(always)]
fn add_all(left: &[f32], right: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    for (left, out) in left.chunks(inner * ROWS).zip(out.chunks_mut(columns * ROWS)) {
        // Four rows at a time, and those that are left one by one.
        if left.len() == inner * ROWS && out.len() == columns * ROWS {
            add_rows::<ROWS>(left, right, inner, columns, out);
            continue;
        }
        for (left, out) in left.chunks_exact(inner).zip(out.chunks_exact_mut(columns)) {
            add_rows::<1>(left, right, inner, columns, out);
        }
    }
}

#[inline(always)]
fn add_rows<const R: usize>(left: &[f32], right: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    let mut at = 0;
    while at + COLUMNS <= columns {
        add_block::<R, COLUMNS>(left, right, inner, columns, at, out);
        at += COLUMNS;
    }
    while at + LAST_COLUMNS <= columns {
        add_block::<R, LAST_COLUMNS>(left, right, inner, columns, at, out);
        at += LAST_COLUMNS;
    }
    while at < columns {
        add_block::<R, 1>(left, right, inner, columns, at, out);
        at += 1;
    }
}

#[inline(always)]
fn add_block<const R: usize, const C: usize>(
    left: &[f32],
    right: &[f32],
    inner: usize,
    columns: usize,
    at: usize,
    out: &mut [f32],
) {
    let mut sums = [[0.0_f32; C]; R];
    for (sums, out) in sums.iter_mut().zip(out.chunks_exact(columns)) {
        sums.copy_from_slice(&out[at..at + C]);
    }
    let rows: [&[f32]; R] = std::array::from_fn(|r| &left[r * inner..(r + 1) * inner]);
    for (nth, right) in (0..inner).zip(right.chunks_exact(columns)) {
        let factors: &[f32; C] = right[at..at + C].try_into().expect("the block's width");
        // Without iterators, whose every step is a call in the builds that tests run: there they took most of the time.
        let mut r = 0;
        while r < R {
            let factor = rows[r][nth];
            let mut c = 0;
            while c < C {
                sums[r][c] += factor * factors[c];
                c += 1;
            }
            r += 1;
        }
    }
    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(columns)) {
        out[at..at + C].copy_from_slice(sums);
    }
}

/// Writes the transpose of `matrix`, whose rows have this many columns, to `out`.
pub fn transpose(matrix: &[f32], columns: usize, out: &mut Vec<f32>) {
    let rows = matrix.len() / columns.max(1);
    out.clear();
    out.resize(matrix.len(), 0.0);
    for (r, row) in matrix.chunks_exact(columns.max(1)).enumerate() {
        for (c, number) in row.iter().enumerate() {
            out[c * rows + r] = *number;
        }
    }
}
