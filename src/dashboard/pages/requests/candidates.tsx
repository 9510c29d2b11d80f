import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type Column, ListTable } from '../../components/list-table.js';
import { Panel } from '../../components/panel.js';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails } from '../../api/schema.js';
import { CandidateScatter } from './candidate-scatter.js';
import type { WeighedCandidate } from './scatter.js';
import { WhatIf } from './what-if.js';

const text = texts.requests.detail;

interface CandidatesProps {
  request: RequestDetails;
  /** Only its owner can weigh a request again. */
  isOwn: boolean;
}

/** What the choice was made from, and who would win with other weights. */
export function Candidates({ request, isOwn }: CandidatesProps) {
  const [winner, setWinner] = useState<string | null>(null);
  const candidates = (request.plan?.candidates ?? []) as WeighedCandidate[];
  const answered = request.code === null ? [request.provider, request.model].join('/') : '';
  if (candidates.length === 0) return null;
  const isChoice = candidates.filter(({ excluded }) => excluded === undefined).length > 1;
  return (
    <Panel title={text.candidates}>
      <Stack gap="sm">
        {request.plan?.reason ? <Text size="sm">{request.plan.reason}</Text> : null}
        {isChoice ? (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Stack gap={4}>
              <Text size="xs" c="dimmed">
                {text.candidatesHint}
              </Text>
              <CandidateScatter candidates={candidates} answered={answered} winner={winner} />
            </Stack>
            {isOwn ? (
              <WhatIf request={request} onWinner={setWinner} />
            ) : (
              <Text size="sm" c="dimmed">
                {text.ofAnother}
              </Text>
            )}
          </SimpleGrid>
        ) : (
          <Text size="sm" c="dimmed">
            {text.noPlan}
          </Text>
        )}
        <ListTable
          label={text.candidates}
          columns={columns}
          rows={candidates}
          keyOf={({ label }) => label}
          minWidth={640}
        />
      </Stack>
    </Panel>
  );
}

const percent = (quality: number | null): string =>
  quality === null ? '–' : (quality * 100).toFixed(1);

/** Where the cost of this request was not predicted, the price of a million tokens. */
const expectedCost = ({ cost, price }: WeighedCandidate): string =>
  typeof cost === 'number' || price === null
    ? formatUsd(cost)
    : fill(text.perMillion, { price: formatUsd(price) });

const columns: readonly Column<WeighedCandidate>[] = [
  { label: texts.requests.model, cell: ({ label }) => label },
  { label: text.quality, cell: ({ quality }) => percent(quality), isFigure: true },
  { label: text.expectedCost, cell: expectedCost, isFigure: true },
  {
    label: text.expectedLatency,
    cell: ({ latency }) => formatMs(latency === null ? null : latency * 1_000),
    isFigure: true,
  },
  {
    label: text.reason,
    cell: ({ excluded, reason }) =>
      excluded === undefined ? reason : fill(text.excluded, { reason: excluded }),
  },
];
