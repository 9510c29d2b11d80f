import { Anchor, Badge, Drawer, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Attempts } from '../../components/conversation/answer-failure.js';
import type { Answer, Decision } from '../../components/conversation/answer.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { formatShare, formatUsd, unknownValue } from '../../format/numbers.js';
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

type Candidate = Decision['candidates'][number];

function Candidates({ decision, answer }: { decision: Decision; answer: Answer }) {
  const { provider, model } = answer;
  const hasAnswered = (one: Candidate): boolean => one.provider === provider && one.model === model;
  const columns: readonly Column<Candidate>[] = [
    {
      label: playground.oneModel,
      cell: (one) => <Name candidate={one} hasAnswered={hasAnswered(one)} />,
    },
    { label: words.quality, cell: (one) => <Quality {...one} />, isFigure: true },
    { label: words.cost, cell: ({ cost }) => formatUsd(cost), isFigure: true },
    {
      label: words.first,
      cell: ({ latency }) => formatMs(latency === null ? null : latency * 1_000),
      isFigure: true,
    },
    { label: words.score, cell: ({ score }) => score?.toFixed(3) ?? unknownValue, isFigure: true },
  ];
  return (
    <ListTable
      label={words.candidates}
      columns={columns}
      rows={decision.candidates}
      keyOf={({ label }) => label}
      minWidth={480}
      fz="sm"
    />
  );
}

function Name({ candidate, hasAnswered }: { candidate: Candidate; hasAnswered: boolean }) {
  const { label, reason, excluded } = candidate;
  return (
    <>
      <Group gap={6}>
        <Text size="sm" fw={hasAnswered ? 600 : 400} className="text-plain">
          {label}
        </Text>
        {hasAnswered ? <Badge size="xs">{words.answered}</Badge> : null}
      </Group>
      <Text size="xs" c="dimmed">
        {excluded ?? reason}
      </Text>
    </>
  );
}

function Quality({ quality, interval }: Candidate) {
  const [low, high] = interval ?? [];
  return (
    <>
      {formatShare(quality, 0)}
      {low === undefined || high === undefined ? null : (
        <Text size="xs" c="dimmed">
          {`${formatShare(low, 0)} – ${formatShare(high, 0)}`}
        </Text>
      )}
    </>
  );
}
