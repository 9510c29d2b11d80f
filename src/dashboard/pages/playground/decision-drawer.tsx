import { Anchor, Badge, Drawer, Group, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Attempts } from '../../components/conversation/answer-failure.js';
import type { Answer, Decision } from '../../components/conversation/answer.js';
import { WideTable } from '../../components/wide-table.js';
import { formatShare, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';

const { playground } = texts;
const { decision: words } = playground;

/** Why a model answered: the rule, what was predicted of each candidate, and what failed before. */
export function DecisionDrawer({ answer, close }: { answer: Answer | null; close: () => void }) {
  return (
    <Drawer opened={answer !== null} onClose={close} title={words.title} position="right" size="lg">
      {answer ? <DecisionDetail answer={answer} /> : null}
    </Drawer>
  );
}

function DecisionDetail({ answer }: { answer: Answer }) {
  const { decision, requestId, trace, failed } = answer;
  const attempts = failed ? failed.trace : trace;
  return (
    <Stack gap="md">
      {decision ? (
        <>
          <Text size="sm">{decision.reason}</Text>
          {decision.gate === undefined ? null : (
            <Text size="sm" c="dimmed">
              {fill(words.gate, { share: formatShare(decision.gate, 0) })}
            </Text>
          )}
          <Candidates decision={decision} answer={answer} />
        </>
      ) : (
        <Text c="dimmed">{words.none}</Text>
      )}
      {attempts.length > 0 ? (
        <>
          <Text fw={600}>{playground.attempts}</Text>
          <Attempts trace={attempts} />
        </>
      ) : null}
      {requestId === null ? null : (
        <Anchor component={Link} href={`/requests/${encodeURIComponent(requestId)}`} size="sm">
          {words.request}
        </Anchor>
      )}
    </Stack>
  );
}

function Candidates({ decision, answer }: { decision: Decision; answer: Answer }) {
  const heads = [words.quality, words.cost, words.first, words.score];
  return (
    <WideTable label={words.candidates} minWidth={480}>
      <Table fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{playground.oneModel}</Table.Th>
            {heads.map((head) => (
              <Table.Th key={head} ta="right">
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {decision.candidates.map((candidate) => (
            <CandidateRow
              key={candidate.label}
              candidate={candidate}
              hasAnswered={
                candidate.provider === answer.provider && candidate.model === answer.model
              }
            />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

interface CandidateRowProps {
  candidate: Decision['candidates'][number];
  hasAnswered: boolean;
}

function CandidateRow({ candidate, hasAnswered }: CandidateRowProps) {
  const { label, quality, interval, cost, latency, score, reason, excluded } = candidate;
  const [low, high] = interval ?? [];
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text size="sm" fw={hasAnswered ? 600 : 400} className="text-plain">
            {label}
          </Text>
          {hasAnswered ? <Badge size="xs">{words.answered}</Badge> : null}
        </Group>
        <Text size="xs" c="dimmed">
          {excluded ?? reason}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {formatShare(quality, 0)}
        {low === undefined || high === undefined ? null : (
          <Text size="xs" c="dimmed" className="one-line">
            {`${formatShare(low, 0)} – ${formatShare(high, 0)}`}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">{formatUsd(cost)}</Table.Td>
      <Table.Td ta="right">{formatMs(latency === null ? null : latency * 1_000)}</Table.Td>
      <Table.Td ta="right">{score === null ? '–' : score.toFixed(3)}</Table.Td>
    </Table.Tr>
  );
}
