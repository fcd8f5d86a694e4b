import type { FilterView } from '../../memory/filter-view.js';
import type { NodeInputs } from './provider.js';

/** A date of ISO 8601, or a time with its zone. */
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * What the declared fields of an index say of its nodes: churn, authors (numbers), lastAuthored (seconds since 1970, or
 * a date), repo, project (texts), exported (bool). A field of another type is not looked at.
 */
export function fieldTeller(fields: FilterView): (row: number, to: NodeInputs) => void {
  const has = (name: keyof NodeInputs): boolean => fields.fields.has(name);
  const number = (name: keyof NodeInputs, row: number): number | undefined => {
    const value = fields.value(name, row);
    return typeof value === 'number' ? value : undefined;
  };
  const text = (name: keyof NodeInputs, row: number): string | undefined => {
    const value = fields.value(name, row);
    return typeof value === 'string' ? value : undefined;
  };
  return (row, to) => {
    if (has('churn')) to.churn = number('churn', row);
    if (has('authors')) to.authors = number('authors', row);
    if (has('lastAuthored')) to.lastAuthored = milliseconds(fields.value('lastAuthored', row));
    if (has('repo')) to.repo = text('repo', row);
    if (has('project')) to.project = text('project', row);
    const exported = fields.value('exported', row);
    if (typeof exported === 'boolean') to.exported = exported;
  };
}

function milliseconds(value: unknown): number | undefined {
  if (typeof value === 'number') return value * 1000;
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  const time = Date.parse(value.includes('T') ? value : `${value}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : time;
}
