import type { FilterView } from '../../memory/filter-view.js';
import type { NodeInputs } from './provider.js';

/** A date of ISO 8601, or a time with its zone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * What the declared fields of an index say of its nodes: churn, authors (numbers), lastAuthored (seconds since 1970, or
 * a date), repo, project (texts), exported (bool). A field of another type is not looked at.
 */
export function fieldReader(fields: FilterView): (row: number) => NodeInputs {
  const typed =
    <T>(name: string, type: string) =>
    (row: number): T | undefined => {
      const value = fields.value(name, row);
      return typeof value === type ? (value as T) : undefined;
    };
  const readers = (
    [
      ['churn', typed<number>('churn', 'number')],
      ['authors', typed<number>('authors', 'number')],
      ['lastAuthored', (row: number) => milliseconds(fields.value('lastAuthored', row))],
      ['repo', typed<string>('repo', 'string')],
      ['project', typed<string>('project', 'string')],
      ['exported', typed<boolean>('exported', 'boolean')],
    ] as const
  ).filter(([name]) => fields.fields.has(name));
  return (row) => {
    const inputs: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const value = read(row);
      if (value !== undefined) inputs[name] = value;
    }
    return inputs;
  };
}

function milliseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value * 1000;
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  const time = Date.parse(value.includes('T') ? value : `${value}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : time;
}
