/** Of an answer. 2,048 vectors of 1,536 numbers take some 40 MB. */
const LONGEST_ANSWER = 64 << 20;
/** Of a complaint; a sentence of it goes into the error. */
const LONGEST_COMPLAINT = 64 << 10;

export interface Reply {
  status: number;
  ok: boolean;
  retryAfter: string | null;
  /** The body; of a complaint its beginning. */
  text: string;
}

/** A request without a reply. The message tells nothing that the other side has sent. */
export class NoReply extends Error {
  /** Whether the next attempt may go better. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean) {
    super(message);
    this.passing = passing;
  }
}

/**
 * One POST of JSON, answered whole within `timeout` milliseconds. A redirect is not followed: the key in the
 * headers would travel with it. Rejects with NoReply, or with the signal's reason.
 */
export async function attempt(
  url: string,
  headers: Record<string, string>,
  body: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cancel();
  }, timeout);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: controller.signal,
    });
    const { status, ok } = response;
    const retryAfter = response.headers.get('retry-after');
    const { text, cut } = await beginning(response, ok ? LONGEST_ANSWER : LONGEST_COMPLAINT);
    if (ok && cut) throw new NoReply(`answered with more than ${LONGEST_ANSWER >> 20} MiB`, false);
    return { status, ok, retryAfter, text };
  } catch (error) {
    signal?.throwIfAborted();
    if (late) throw new NoReply(`gave no whole answer within ${timeout} ms`, true);
    throw error instanceof NoReply ? error : noReply(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/** Reads at most `most` bytes and lets go of the rest. */
async function beginning(response: Response, most: number): Promise<{ text: string; cut: boolean }> {
  if (response.body === null) return { text: '', cut: false };
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of response.body) {
    bytes += piece.length;
    if (bytes > most)
      return { text: text + decoder.decode(piece.subarray(0, most - bytes + piece.length)), cut: true };
    text += decoder.decode(piece, { stream: true });
  }
  return { text: text + decoder.decode(), cut: false };
}

/** The connection broke under the request; a refused one, a wrong name or certificate stay as they are. */
const PASSING = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'];

/** What fetch threw. Its cause may hold bytes of the other side, so only the code is told. */
function noReply(error: unknown): NoReply {
  const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message?: unknown };
  if (message === 'unexpected redirect')
    return new NoReply('answered with a redirect, which is not followed; give the URL it leads to', false);
  const known = typeof code === 'string' && /^[A-Z0-9_]+$/.test(code);
  return new NoReply(
    `could not be asked: the connection failed${known ? ` (${code})` : ''}`,
    PASSING.includes(code as string),
  );
}
