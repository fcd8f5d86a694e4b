import type { Node } from '../types.js';

/** What an embedder reads of a node: title, heading, name, signature and text, a line each; empty when it has none. */
export function documentText(node: Node): string {
  const parts = [node.title, node.heading, node.qualifiedName ?? node.name, node.signature, node.text];
  return parts.filter((part) => part !== undefined && part !== null && part.trim() !== '').join('\n');
}
