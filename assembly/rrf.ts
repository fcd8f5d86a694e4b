/**
 * acc[slots[i]] += weight / (k + i + 1): the list is best first, ranks start at 1.
 * slotsAt: u32[count], read; accAt: f64, read and written.
 */
export function rrfAdd(slotsAt: usize, count: u32, k: f64, weight: f64, accAt: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const at = accAt + (load<u32>(slotsAt + (i << 2)) << 3);
    store<f64>(at, load<f64>(at) + weight / (k + <f64>i + 1));
  }
}
