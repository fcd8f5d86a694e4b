import type { NodeView } from '../memory/node-view.js';

export type RowOrder = (a: number, b: number) => number;

/** Where a node lies in its file. */
type Field = 'path' | 'startLine' | 'endLine' | 'qualifiedName' | 'kind' | 'name';

/**
 * System C's order of rows that are otherwise equal: field by field, ascending, texts by their UTF-8 bytes, then by id.
 * What a node lacks counts as an empty text or as line 0.
 */
export function citationOrder(nodes: NodeView, fields: readonly Field[]): RowOrder {
  const orders = fields.map((field): RowOrder => {
    if (field === 'startLine' || field === 'endLine') {
      const line = nodes.number(field, 0);
      return (a, b) => line(a) - line(b);
    }
    const view = nodes.text(field);
    return view === undefined ? () => 0 : (a, b) => view.order(a, b);
  });
  return (a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return a - b;
  };
}

/** Of seeds and of what `localize` finds (C.3, C.9). */
export const placeOrder = (nodes: NodeView): RowOrder =>
  citationOrder(nodes, ['path', 'startLine', 'endLine', 'qualifiedName', 'kind', 'name']);

/** Of what `rankByQuery` finds (C.6). */
export const nameOrder = (nodes: NodeView): RowOrder =>
  citationOrder(nodes, ['path', 'qualifiedName', 'kind', 'name']);
