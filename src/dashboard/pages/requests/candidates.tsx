import { SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { Panel } from '../overview/charts.js';
import type { RequestDetails } from './request-detail.js';
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
  const answered = [request.provider, request.model].join('/');
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
        <CandidateTable candidates={candidates} />
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

function CandidateTable({ candidates }: { candidates: readonly WeighedCandidate[] }) {
  const heads = [text.quality, text.expectedCost, text.expectedLatency];
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.requests.model}</Table.Th>
            {heads.map((head) => (
              <Table.Th key={head} ta="right">
                {head}
              </Table.Th>
            ))}
            <Table.Th>{text.reason}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {candidates.map((one) => (
            <Table.Tr key={one.label}>
              <Table.Td>{one.label}</Table.Td>
              <Table.Td ta="right">{percent(one.quality)}</Table.Td>
              <Table.Td ta="right">{expectedCost(one)}</Table.Td>
              <Table.Td ta="right">
                {formatMs(one.latency === null ? null : one.latency * 1_000)}
              </Table.Td>
              <Table.Td>
                {one.excluded === undefined
                  ? one.reason
                  : fill(text.excluded, { reason: one.excluded })}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
