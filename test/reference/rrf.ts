/** Reciprocal rank fusion: slot -> sum over the lists of weight / (k + rank), ranks from 1. */
export function fuse(lists: { slots: readonly number[]; weight: number }[], k: number): Map<number, number> {
  const fused = new Map<number, number>();
  for (const { slots, weight } of lists) {
    slots.forEach((slot, index) => {
      const rank = index + 1;
      fused.set(slot, (fused.get(slot) ?? 0) + weight / (k + rank));
    });
  }
  return fused;
}
