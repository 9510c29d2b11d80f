import { Box, Group, Stack, Tooltip } from '@mantine/core';
import { Caption, Hint, LongText, Note, Swatch } from '../../components/elements.js';
import { errorColor, restColor } from '../../components/chart-columns.js';
import { reasonOf } from '../../format/outcomes.js';
import { Panel, useIsNarrow } from '../../components/page.js';
import { axisLabel } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails } from '../../api/schema.js';
import {
  axisTicks,
  equalLanes,
  type Lane,
  lanesOf,
  type Phase,
  type PhaseName,
} from './waterfall.js';

const text = texts.requests.detail;

const colors: Readonly<Record<PhaseName, string>> = {
  wait: restColor,
  connect: 'var(--mantine-color-cyan-6)',
  provider: 'var(--mantine-color-yellow-7)',
  thinking: 'var(--mantine-color-grape-6)',
  answer: 'var(--mantine-color-blue-6)',
};

/** The attempts on one time axis: waits, retries, fallbacks, first token, end. */
export function WaterfallPanel({ request }: { request: RequestDetails }) {
  const lanes = lanesOf(request.attempts ?? []);
  const ticks = axisTicks(lanes, request.latencyMs, useIsNarrow() ? 3 : 5);
  const end = ticks.at(-1) ?? 1;
  return (
    <Panel title={text.waterfall}>
      {lanes.length === 0 ? (
        <Hint>{text.noAttempts}</Hint>
      ) : (
        <Stack gap="sm">
          <Note>{text.waterfallHint}</Note>
          {equalLanes(lanes).map((equal, index) => (
            <LaneRow
              key={index}
              lanes={equal}
              end={end}
              isOneOfMany={(lanes.at(-1)?.call ?? 1) > 1}
            />
          ))}
          <Group justify="space-between" className="figures">
            {/* the middle of a label at its place, but for those at the ends */}
            {ticks.map((ms) => (
              <Group key={ms} w={0} justify={ms === 0 ? 'start' : ms === end ? 'end' : 'center'}>
                <Note className="one-line">{axisLabel(formatMs(ms))}</Note>
              </Group>
            ))}
          </Group>
          <Legend lanes={lanes} />
        </Stack>
      )}
    </Panel>
  );
}

interface LaneRowProps {
  /** Equal attempts. */
  lanes: readonly Lane[];
  end: number;
  /** Whether the request made several calls. */
  isOneOfMany: boolean;
}

function LaneRow({ lanes, end, isOneOfMany }: LaneRowProps) {
  const [lane] = lanes;
  if (!lane) return null;
  const { attempt, call, start } = lane;
  const { provider, model, number, keyIndex, outcome, status, error, waitMs = 0 } = attempt;
  const { continuesAt } = attempt;
  const name = `${provider}/${model}`;
  const isFailed = outcome !== 'ok' && outcome !== 'hedge_lost';
  const notes = [
    attempt.hedged ? text.hedged : null,
    outcome !== 'ok' ? `${status ?? ''} ${reasonOf(outcome)}`.trim() : null,
    continuesAt === undefined ? null : fill(text.continuesAt, { count: continuesAt }),
    waitMs > 0 ? fill(text.retryAfter, { time: formatMs(waitMs) }) : null,
    attempt.firstContentMs === null
      ? null
      : fill(text.firstAt, { time: formatMs(start + attempt.firstContentMs) }),
    typeof keyIndex === 'number' ? fill(text.attemptKey, { index: keyIndex }) : null,
    formatMs(attempt.latencyMs),
  ].filter((note) => note !== null);
  return (
    <Box>
      <Group gap="xs" justify="space-between">
        <Caption>
          {lanes.length > 1
            ? fill(text.attempts, { model: name, count: lanes.length })
            : fill(isOneOfMany ? text.callAttempt : text.attempt, { call, model: name, number })}
        </Caption>
        <Note className="figures">{notes.join(' · ')}</Note>
      </Group>
      <Box
        pos="relative"
        h={18}
        bdrs="xs"
        bg="var(--mantine-color-default-border)"
        role="img"
        aria-label={fill(text.laneLabel, {
          model: name,
          outcome: reasonOf(outcome),
          start: formatMs(start),
          end: formatMs(lanes.at(-1)?.end),
        })}
      >
        {lanes
          .flatMap(({ phases }) => phases)
          .map((phase, index) => (
            <PhaseBar key={index} phase={phase} end={end} isFailed={isFailed} />
          ))}
      </Box>
      {error === null ? null : <LongText c="var(--mantine-color-error)">{error}</LongText>}
    </Box>
  );
}

/** Whether the provider has not had the request yet. */
const isBefore = (name: PhaseName): boolean => name === 'wait' || name === 'connect';

function PhaseBar({ phase, end, isFailed }: { phase: Phase; end: number; isFailed: boolean }) {
  const { name, from, to } = phase;
  const color = isFailed && !isBefore(name) ? errorColor : colors[name];
  return (
    <Tooltip label={`${text.phases[name]}: ${formatMs(to - from)}`}>
      <Box
        pos="absolute"
        top={0}
        h={18}
        left={`${(from / end) * 100}%`}
        w={`max(2px, ${((to - from) / end) * 100}%)`}
        bg={color}
        style={{ borderRadius: 2, opacity: name === 'wait' ? 0.45 : 1 }}
      />
    </Tooltip>
  );
}

function Legend({ lanes }: { lanes: readonly Lane[] }) {
  const shown = lanes.flatMap(({ phases, attempt }) =>
    phases.map(({ name }) => (attempt.outcome === 'ok' || isBefore(name) ? name : 'failed')),
  );
  const names = [...(Object.keys(colors) as PhaseName[]), 'failed' as const];
  return (
    <Group gap="md">
      {names
        .filter((name) => shown.includes(name))
        .map((name) => (
          <Swatch key={name} color={name === 'failed' ? errorColor : colors[name]}>
            {text.phases[name]}
          </Swatch>
        ))}
    </Group>
  );
}
