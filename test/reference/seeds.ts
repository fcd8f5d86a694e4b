import type { Node } from '../../dist/index.js';

/** A node that a query points at, and by how many tokens. */
export interface FoundSeed {
  id: string;
  names: number;
  qualifiedNames: number;
}

/**
 * System C's substring seeds (C.3), by the regular expressions of the specification. `word`: \b token \b.
 * `identifier`: the qualified name is cut into atoms, and a token must be some of them in a row.
 */
export function substringSeeds(
  nodes: readonly Node[],
  tokens: readonly string[],
  boundaries: 'identifier' | 'word',
): FoundSeed[] {
  const has = boundaries === 'word' ? standsByWord : standsByAtoms;
  const text = (value: string | undefined) => Buffer.from(value ?? '', 'utf8');
  const line = (value: number | undefined) => value ?? 0;
  return nodes
    .map((node) => ({
      node,
      names: tokens.filter((token) => node.name?.toLowerCase() === token).length,
      qualifiedNames: tokens.filter(
        (token) => Buffer.byteLength(token) >= 3 && has(node.qualifiedName ?? '', token),
      ).length,
    }))
    .filter(({ names, qualifiedNames }) => names + qualifiedNames > 0)
    .sort((one, other) => {
      const [a, b] = [one.node, other.node];
      return (
        other.names - one.names ||
        other.qualifiedNames - one.qualifiedNames ||
        Buffer.compare(text(a.path), text(b.path)) ||
        line(a.startLine) - line(b.startLine) ||
        line(a.endLine) - line(b.endLine) ||
        Buffer.compare(text(a.qualifiedName), text(b.qualifiedName)) ||
        Buffer.compare(text(a.kind), text(b.kind)) ||
        Buffer.compare(text(a.name), text(b.name)) ||
        Buffer.compare(text(a.id), text(b.id))
      );
    })
    .map(({ node, names, qualifiedNames }) => ({ id: node.id, names, qualifiedNames }));
}

function standsByWord(qualifiedName: string, token: string): boolean {
  const literal = token.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return new RegExp(`\\b${literal}\\b`).test(qualifiedName.toLowerCase());
}

/** Acronyms, words with or without a capital, capitals, digits; every other character alone. */
const ATOMS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+|[^\p{Lu}\p{Ll}\p{N}]/gu;

function standsByAtoms(qualifiedName: string, token: string): boolean {
  const atoms = (qualifiedName.match(ATOMS) ?? []).map((atom) => atom.toLowerCase());
  return atoms.some((_, from) => {
    let run = '';
    for (let to = from; to < atoms.length && run.length < token.length; to++) run += atoms[to]!;
    return run === token;
  });
}
