import { Drawer, Stack, Text } from '@mantine/core';
import { CandidateTable } from '../candidate-table.js';
import { Hint, PageLink } from '../elements.js';
import type { Schema } from '../../api/schema.js';
import { Attempts } from './answer-view.js';
import type { Answer, Decision, TraceEntry } from './answer.js';
import { Loaded } from '../loaded.js';
import { formatShare, reasonWords } from '../../format/numbers.js';
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
          <Text size="sm" className="sentence">
            {reasonWords(decision.reason)}
          </Text>
          {decision.gate === undefined ? null : (
            <Hint>{fill(words.gate, { share: formatShare(decision.gate, 0) })}</Hint>
          )}
          <CandidateTable
            candidates={decision.candidates}
            answered={`${answer.provider}/${answer.model}`}
          />
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
