import type { Schema } from '../api/schema.js';
import { fill, texts } from '../texts/texts.js';
import { formatUsd } from './numbers.js';

const text = texts.common;

type Spend = Pick<Schema<'RequestResponse'>, 'costUsd' | 'estimatedUsd' | 'heldUsd'>;

/** What was spent, with `≈` where a part of it is estimated, and what budgets hold beside it. */
export const formatSpend = ({ costUsd, estimatedUsd, heldUsd }: Spend): string =>
  `${estimatedUsd > 0 ? '≈ ' : ''}${formatUsd(costUsd)}${heldUsd > 0 ? fill(text.withHeld, { held: formatUsd(heldUsd) }) : ''}`;

/** The parts of a sum in words, those that are not 0. */
export const spendParts = ({ costUsd, estimatedUsd, heldUsd }: Spend): string[] => [
  ...(estimatedUsd > 0
    ? [
        estimatedUsd === costUsd
          ? text.allEstimated
          : fill(text.estimated, { usd: formatUsd(estimatedUsd) }),
      ]
    : []),
  ...(heldUsd > 0 ? [fill(text.held, { usd: formatUsd(heldUsd) })] : []),
];
