/** Embedding services on 127.0.0.1 that behave as a test wants. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: { model: string; input: string[]; encoding_format: string; input_type?: string };
}

/** Answers one request; `turn` counts from 0. */
export type Behaviour = (response: ServerResponse, asked: Asked, turn: number) => void;

export interface LocalService {
  url: string;
  asked: Asked[];
}

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

export async function serving(behave: Behaviour): Promise<LocalService> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const one = { path: request.url!, headers: request.headers, body: JSON.parse(text) };
    asked.push(one);
    behave(response, one, asked.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** The vector of a text: its length, and 1. */
export const vectorOf = (text: string): number[] => [text.length, 1];

export const rowsOf = (input: string[]): { index: number; embedding: unknown }[] =>
  input.map((text, index) => ({ index, embedding: vectorOf(text) }));

export const json = (response: ServerResponse, value: unknown): void => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
};

/** What a good service does. */
export const good: Behaviour = (response, { body }) => json(response, { data: rowsOf(body.input) });

/** Complaints, one a turn, then good answers. */
export const complaining =
  (turns: number, status: number, headers: Record<string, string> = {}, text = 'no'): Behaviour =>
  (response, asked, turn) => {
    if (turn >= turns) good(response, asked, turn);
    else response.writeHead(status, headers).end(text);
  };
