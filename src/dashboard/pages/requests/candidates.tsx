import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useElementSize } from '@mantine/hooks';
import { Hint, Note } from '../../components/elements.js';
import { CandidateTable } from '../../components/candidate-table.js';
import { Panel } from '../../components/page.js';
import { placeNames } from '../../components/place-names.js';
import { formatUsd, reasonWords } from '../../format/numbers.js';
import { shortNames } from '../../format/outcomes.js';
import { fill, texts } from '../../texts/texts.js';
import type { RequestDetails, WeighedCandidate } from '../../api/schema.js';
import { scatterOf } from './scatter.js';
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
  const candidates = request.plan?.candidates ?? [];
  const answered = request.code === null ? [request.provider, request.model].join('/') : '';
  if (candidates.length === 0) return null;
  const isChoice = candidates.filter(({ excluded }) => excluded === undefined).length > 1;
  return (
    <Panel title={text.candidates}>
      <Stack gap="sm">
        {isChoice && request.plan?.reason ? (
          <Text size="sm" className="sentence">
            {reasonWords(request.plan.reason)}
          </Text>
        ) : null}
        {isChoice ? (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Stack gap={4}>
              <Note>{text.candidatesHint}</Note>
              <CandidateScatter candidates={candidates} answered={answered} winner={winner} />
            </Stack>
            {isOwn ? (
              <WhatIf request={request} onWinner={setWinner} />
            ) : (
              <Hint>{text.ofAnother}</Hint>
            )}
          </SimpleGrid>
        ) : (
          <Hint>{text.noPlan}</Hint>
        )}
        <CandidateTable candidates={candidates} answered={answered} />
      </Stack>
    </Panel>
  );
}

const height = 280;
const inner = { left: 36, right: 28, top: 12, bottom: 36 };
const toY = (share: number): number =>
  height - inner.bottom - share * (height - inner.top - inner.bottom);

interface ScatterProps {
  candidates: readonly WeighedCandidate[];
  answered: string;
  /** The label of who would win; null: as it was. */
  winner: string | null;
}

/** Candidates by expected cost and predicted quality, with intervals. */
function CandidateScatter({ candidates, answered, winner }: ScatterProps) {
  const { dots, costs, qualities, unknown } = scatterOf(candidates);
  const { ref, width } = useElementSize();
  const names = shortNames(dots.map(({ candidate }) => candidate.label)).map((name, at) => {
    const label = dots[at]?.candidate.label;
    const roles = [label === answered ? text.answered : '', label === winner ? text.wouldWin : ''];
    const role = roles.filter((word) => word !== '').join(', ');
    return role === '' ? name : `${name} (${role})`;
  });
  const toX = (share: number): number =>
    inner.left + share * Math.max(0, width - inner.left - inner.right);
  const places = placeNames(
    dots.map(({ x, y }, at) => ({ x: toX(x), y: toY(y), text: names[at] ?? '' })),
    { width, height: height - inner.bottom },
  );
  return (
    <Box ref={ref}>
      <svg width={width} height={height} role="img" aria-label={text.scatter} className="scatter">
        {qualities.map(({ value, at }) => (
          <g key={value}>
            <line x1={toX(0)} x2={toX(1)} y1={toY(at)} y2={toY(at)} className="grid" />
            <text x={toX(0) - 6} y={toY(at) + 4} textAnchor="end">
              {Math.round(value * 100)}
            </text>
          </g>
        ))}
        {costs.map(({ value, at }) => (
          <text key={value} x={toX(at)} y={height - 18} textAnchor="middle">
            {value === 0 ? text.free : formatUsd(value)}
          </text>
        ))}
        <text x={toX(1)} y={height - 3} textAnchor="end">
          {text.expectedCost}
        </text>
        {dots.map(({ candidate: { label }, x, y, low, high }) => (
          <g
            key={label}
            className={
              label === winner ? 'dot winner' : label === answered ? 'dot answered' : 'dot'
            }
          >
            <line x1={toX(x)} x2={toX(x)} y1={toY(low)} y2={toY(high)} />
            <circle cx={toX(x)} cy={toY(y)} r={label === answered || label === winner ? 7 : 5} />
          </g>
        ))}
        {dots.map(({ candidate: { label }, x, y }, at) => {
          const place = places[at]!;
          return (
            <g key={label}>
              <line x1={toX(x)} y1={toY(y)} x2={place.x} y2={place.y - 4} stroke="gray" />
              <text x={place.x} y={place.y} textAnchor={place.anchor}>
                <title>{label}</title>
                {names[at]}
              </text>
            </g>
          );
        })}
      </svg>
      {unknown.length === 0 ? null : (
        <Note>
          {fill(text.unknownFigures, { models: unknown.map(({ label }) => label).join(', ') })}
        </Note>
      )}
    </Box>
  );
}
