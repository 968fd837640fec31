//! Products of matrices, row by row in one list of numbers.

/// Rows and columns of the block whose sums are kept in registers: eight registers of four numbers, of sixteen.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// Adds to `out` (rows x columns) the product of `left` (rows x inner) and `right` (inner x columns).
///
/// Each sum starts from what `out` holds, and goes through `inner` in order.
pub fn add_product(left: &[f32], right: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    if inner == 0 || columns == 0 {
        return;
    }
    let mut left = left.chunks_exact(inner);
    let mut out = out.chunks_exact_mut(columns);
    loop {
        // Four rows at a time, and those that are left one by one.
        if left.len() >= ROWS {
            let rows: [&[f32]; ROWS] = std::array::from_fn(|_| left.next().unwrap_or_default());
            let sums: [&mut [f32]; ROWS] = std::array::from_fn(|_| out.next().unwrap_or_default());
            add_rows(rows, right, columns, sums);
        } else if let (Some(row), Some(sums)) = (left.next(), out.next()) {
            add_rows([row], right, columns, [sums]);
        } else {
            return;
        }
    }
}

fn add_rows<const R: usize>(rows: [&[f32]; R], right: &[f32], columns: usize, mut out: [&mut [f32]; R]) {
    let mut at = 0;
    while at + COLUMNS <= columns {
        add_block::<R, COLUMNS>(rows, right, columns, at, &mut out);
        at += COLUMNS;
    }
    while at < columns {
        add_block::<R, 1>(rows, right, columns, at, &mut out);
        at += 1;
    }
}

#[inline(always)]
fn add_block<const R: usize, const C: usize>(
    rows: [&[f32]; R],
    right: &[f32],
    columns: usize,
    at: usize,
    out: &mut [&mut [f32]; R],
) {
    let mut sums = [[0.0_f32; C]; R];
    for (sums, out) in sums.iter_mut().zip(&*out) {
        sums.copy_from_slice(&out[at..at + C]);
    }
    let inner = rows[0].len();
    let rows = rows.map(|row| &row[..inner]);
    for (nth, right) in right.chunks_exact(columns).take(inner).enumerate() {
        let factors: &[f32; C] = right[at..at + C].try_into().expect("the block's width");
        for r in 0..R {
            let factor = rows[r][nth];
            for c in 0..C {
                sums[r][c] += factor * factors[c];
            }
        }
    }
    for (sums, out) in sums.iter().zip(out) {
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
