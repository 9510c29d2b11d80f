import { Badge, Drawer, Group, Stack, Text } from '@mantine/core';
import { Hint, Note, PageLink, PlainText } from '../elements.js';
import type { Schema } from '../../api/schema.js';
import { Attempts } from './answer-view.js';
import type { Answer, Decision, TraceEntry } from './answer.js';
import { type Column, figure, ListTable } from '../list-table.js';
import { Loaded } from '../loaded.js';
import { formatQuality, formatShare, formatUsd, reasonWords } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { useMay } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { useRead } from '../../api/queries.js';

const { playground } = texts;
const { decision: words } = playground;

/** Why a model answered: the rule, what was predicted of each candidate, and what failed before. */
export const DecisionDrawer = ({ answer, close }: { answer: Answer | null; close: () => void }) => (
  <Drawer opened={answer !== null} onClose={close} title={words.title} position="right" size="lg">
    {answer ? <DecisionDetail answer={answer} /> : null}
  </Drawer>
);

function DecisionDetail({ answer }: { answer: Answer }) {
  const { decision, requestId, trace, failed } = answer;
  if (decision === null && requestId !== null)
    return <StoredDetail answer={answer} requestId={requestId} />;
  return <Detail answer={answer} decision={decision} attempts={failed ? failed.trace : trace} />;
}

/** Of an answer of an earlier visit, the request log knows it, as long as that is kept. */
function StoredDetail({ answer, requestId }: { answer: Answer; requestId: string }) {
  const query = useRead('/api/v1/requests/{id}', { path: { id: requestId } });
  return (
    <Loaded query={query}>
      {({ plan, attempts }) => (
        <Detail
          answer={answer}
          decision={
            plan?.candidates
              ? { ...plan, reason: plan.reason ?? '', candidates: plan.candidates }
              : null
          }
          attempts={(attempts ?? []).filter(({ outcome }) => outcome !== 'ok').map(traceOf)}
        />
      )}
    </Loaded>
  );
}

type Attempt = NonNullable<Schema<'RequestResponse'>['attempts']>[number];

const traceOf = ({ provider, model, number, outcome, ...rest }: Attempt): TraceEntry => ({
  provider,
  model,
  attempt: number,
  error: rest.error ?? outcome,
  status: rest.status,
  latency: rest.latencyMs,
});

interface DetailProps {
  answer: Answer;
  decision: Decision | null;
  /** Those that failed. */
  attempts: readonly TraceEntry[];
}

function Detail({ answer, decision, attempts }: DetailProps) {
  const mayReadRequests = useMay()('admin');
  return (
    <Stack gap="md">
      {decision ? (
        <>
          <Text size="sm">{reasonWords(decision.reason)}</Text>
          {decision.gate === undefined ? null : (
            <Hint>{fill(words.gate, { share: formatShare(decision.gate, 0) })}</Hint>
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
      {answer.requestId === null || !mayReadRequests ? null : (
        <PageLink href={`/requests/${encodeURIComponent(answer.requestId)}`}>
          {words.request}
        </PageLink>
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
    figure(words.quality, (one) => <Quality {...one} />),
    figure(words.cost, ({ cost }) => formatUsd(cost)),
    figure(words.first, ({ latency }) => formatMs(latency === null ? null : latency * 1_000)),
    figure(words.score, ({ score }) => formatQuality(score)),
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
        <PlainText fw={hasAnswered ? 600 : 400}>{label}</PlainText>
        {hasAnswered ? <Badge size="xs">{words.answered}</Badge> : null}
      </Group>
      <Note>{excluded ?? reasonWords(reason)}</Note>
    </>
  );
}

function Quality({ quality, interval }: Candidate) {
  const [low, high] = interval ?? [];
  return (
    <>
      {formatQuality(quality)}
      {low === undefined || high === undefined ? null : (
        <Note>{`${formatQuality(low)} – ${formatQuality(high)}`}</Note>
      )}
    </>
  );
}
