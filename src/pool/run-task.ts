import { CorankError } from '../errors.js';
import { authoritiesOf } from '../score/authorities.js';
import { explainBm25, scoreBm25 } from '../score/bm25.js';
import { communitiesOf } from '../score/communities.js';
import { Cancellation, type Cancelled, type ScoreContext } from '../score/context.js';
import { explainCoverDensity, scoreCoverDensity } from '../score/cover-density.js';
import { scoreDense } from '../score/dense.js';
import { scoreLocalize } from '../score/localize.js';
import { localizeWays } from '../score/localize-ways.js';
import { scoreSeeds } from '../score/seeds.js';
import { visibleVectors } from '../score/visible-vectors.js';
import { scoreWalks } from '../score/walk.js';
import type { TaskMessage, TaskReply, Tasks } from './tasks.js';

/** Runs one task in this thread. Errors become values, because their codes do not survive the way back. */
export function runTask(context: ScoreContext, task: TaskMessage, cancelled: Cancelled): TaskReply {
  try {
    return { answer: answer(context, task, cancelled) };
  } catch (cause) {
    if (cause instanceof Cancellation) return { cancelled: true };
    if (cause instanceof CorankError) return { error: { code: cause.code, message: cause.message } };
    const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    return { error: { code: 'WORKER_FAILED', message } };
  }
}

function answer(
  context: ScoreContext,
  task: TaskMessage,
  cancelled: Cancelled,
): Tasks[keyof Tasks]['answer'] {
  switch (task.kind) {
    case 'bm25':
      return scoreBm25(context, task.scope, task.request, cancelled);
    case 'explainBm25':
      return explainBm25(context, task.scope, task.request, cancelled);
    case 'coverDensity':
      return scoreCoverDensity(context, task.scope, task.request, cancelled);
    case 'explainCoverDensity':
      return explainCoverDensity(context, task.scope, task.request, cancelled);
    case 'dense':
      return scoreDense(context, task.scope, task.request, cancelled);
    case 'visibleVectors':
      return visibleVectors(context, task.scope, task.request.model);
    case 'localize':
      return scoreLocalize(context, task.scope, task.request, cancelled);
    case 'localizeWays':
      return localizeWays(context, task.scope, task.request, cancelled);
    case 'seeds':
      return scoreSeeds(context, task.scope, task.request, cancelled);
    case 'authorities':
      return authoritiesOf(context, task.scope, task.request.rows, cancelled);
    case 'communities':
      return communitiesOf(context, task.scope, task.request.rows, cancelled);
    case 'walks':
      return scoreWalks(context, task.scope, task.request, cancelled);
  }
}
