import { type RunResult, resultJson } from './candidate-json.js';

/** One result as one line of JSON, ended. Also for a query that found nothing. */
export function jsonLine(result: RunResult): string {
  return `${JSON.stringify(resultJson(result))}\n`;
}
