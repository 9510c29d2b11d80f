import { Badge, Group } from '@mantine/core';
import type { WeighedCandidate } from '../api/schema.js';
import { formatQuality, formatUsd, reasonWords } from '../format/numbers.js';
import { formatMs } from '../format/times.js';
import { fill, texts } from '../texts/texts.js';
import { Note, PlainText } from './elements.js';
import { type Column, figure, ListTable, column } from './list-table.js';

const { perMillion, excluded: excludedWords } = texts.requests.detail;

/** Where the cost of this request was not predicted, the price of a million tokens. */
const costOf = ({ cost, price }: WeighedCandidate): string =>
  typeof cost === 'number' || price === null
    ? formatUsd(cost)
    : fill(perMillion, { price: formatUsd(price) });

const columns: readonly Column<WeighedCandidate>[] = [
  figure(texts.common.quality, ({ quality, interval }) => {
    const [low, high] = interval ?? [];
    return (
      <>
        {formatQuality(quality)}
        {low === undefined || high === undefined ? null : (
          <Note>{`${formatQuality(low)} – ${formatQuality(high)}`}</Note>
        )}
      </>
    );
  }),
  figure(texts.common.cost, costOf),
  figure(texts.common.firstToken, ({ latency }) =>
    formatMs(latency === null ? null : latency * 1_000),
  ),
  figure(texts.common.score, ({ score }) => formatQuality(score)),
];

interface CandidateTableProps {
  candidates: readonly WeighedCandidate[];
  answered: string;
}

/** What was predicted of each candidate, and why it was chosen or not. */
export function CandidateTable({ candidates, answered }: CandidateTableProps) {
  const model: Column<WeighedCandidate> = column(
    texts.common.model,
    ({ label, reason, excluded }) => (
      <>
        <Group gap={6}>
          <PlainText fw={label === answered ? 600 : 400}>{label}</PlainText>
          {label === answered ? <Badge size="xs">{texts.common.answered}</Badge> : null}
        </Group>
        <Note className="sentence">
          {excluded ? fill(excludedWords, { reason: excluded }) : reasonWords(reason)}
        </Note>
      </>
    ),
  );
  return (
    <ListTable
      label={texts.common.candidates}
      columns={[model, ...columns]}
      rows={candidates}
      keyOf={({ label }) => label}
      minWidth={480}
      fz="sm"
    />
  );
}
