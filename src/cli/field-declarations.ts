import { quote } from '../errors.js';
import type { FieldDeclaration, FieldType } from '../types.js';
import { usage } from './exit-codes.js';

const TYPES: readonly string[] = ['string', 'int', 'float', 'bool'] satisfies FieldType[];

/** `--field year:int`: the fields that filters may use, which an index never infers from its rows. */
export function declaredFields(declarations: readonly string[]): FieldDeclaration[] {
  const fields = new Map<string, FieldDeclaration>();
  for (const text of declarations) {
    const [, name, type] = /^([A-Za-z_][A-Za-z0-9_.-]*):(.*)$/.exec(text) ?? [];
    if (name === undefined || type === undefined || !TYPES.includes(type)) {
      throw usage(
        `--field ${quote(text)}: write NAME:TYPE with letters, digits, _ . - in NAME and TYPE one of ${TYPES.join(', ')}`,
      );
    }
    if (fields.has(name)) throw usage(`--field ${name} is declared twice`);
    fields.set(name, { name, type: type as FieldType });
  }
  return [...fields.values()];
}
