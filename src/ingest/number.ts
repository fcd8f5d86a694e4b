const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** A decimal number as text, or NaN: `Number` alone would also take '', ' ', '0x10' and 'Infinity'. */
export function decimal(text: string): number {
  return DECIMAL.test(text) ? Number(text) : Number.NaN;
}
