import { CorankError } from '../errors.js';
import { type FlatnessOptions, flatness } from '../retrieve/fusion/flatness.js';
import type { Fusion } from '../retrieve/fusion/fusion.js';
import { type RrfOptions, rrf } from '../retrieve/fusion/rrf.js';
import { type AlphaOptions, alphaBlend, dbsf, relativeScore } from '../retrieve/fusion/score-fusion.js';
import { type StretchedRrfOptions, stretchedRrf } from '../retrieve/fusion/stretched-rrf.js';
import { nonNegative, oneOf } from '../retrieve/options.js';
import { familyOf, type Settings, settingsOf } from './settings.js';

type Make = (settings: Settings, channels: readonly string[]) => Fusion;

/** Fusions by the names that `--set hybrid.fusion` knows: those of the library. */
const FUSIONS: Readonly<Record<string, Make>> = {
  flatness: (s) => flatness(settingsOf(s, 'flatness') as FlatnessOptions),
  rrf: (s, channels) => rrf(weighted(s, 'rrf', channels) as RrfOptions),
  stretchedRrf: (s, channels) => stretchedRrf(weighted(s, 'stretchedRrf', channels) as StretchedRrfOptions),
  relativeScore: (s, channels) => relativeScore(weighted(s, 'relativeScore', channels)),
  dbsf: (s, channels) => dbsf(weighted(s, 'dbsf', channels)),
  alphaBlend: (s) => alphaBlend(settingsOf(s, 'alphaBlend') as AlphaOptions),
};

/** The settings that fusions of these channels look at, by the beginning of their keys. */
export const fusionSettings = (channels: readonly string[]): string[] => [
  ...['hybrid.fusion', 'flatness.weight', 'alphaBlend.alpha', 'rrf.k', 'stretchedRrf.k'],
  ...['rrf', 'stretchedRrf', 'relativeScore', 'dbsf'].flatMap((name) =>
    channels.map((channel) => `${name}.weights.${channel}`),
  ),
];

/** The named fusion, or the one of which something is set; else words decide. */
export function fusionOf(settings: Settings, channels: readonly string[]): Fusion {
  const known = Object.keys(FUSIONS);
  const keys = [...settings.keys()].filter((key) => known.some((name) => key.startsWith(`${name}.`)));
  const name = settings.get('hybrid.fusion') ?? keys[0]?.replace(/\..*/, '') ?? 'flatness';
  const make = FUSIONS[oneOf('hybrid.fusion', name, known)]!;
  const other = keys.find((key) => !key.startsWith(`${name}.`));
  if (other === undefined) return make(settings, channels);
  throw new CorankError('INVALID_INPUT', `the fusion is ${name}: ${other} cannot be set`);
}

const weighted = (settings: Settings, owner: string, channels: readonly string[]) => ({
  ...settingsOf(settings, owner),
  weights: weightsOf(settings, owner, channels),
});

/** One weight a channel, 1 where nothing is set. */
export function weightsOf(settings: Settings, owner: string, channels: readonly string[]): number[] {
  const weights = familyOf(settings, `${owner}.weights.`);
  return channels.map((channel) => nonNegative(`${owner}.weights.${channel}`, weights[channel] ?? 1));
}
