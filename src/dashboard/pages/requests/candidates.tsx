import { Box, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useElementSize } from '@mantine/hooks';
import { Hint, Note } from '../../components/elements.js';
import { CandidateTable } from '../../components/candidate-table.js';
import { colorAt, restColor } from '../../components/chart-columns.js';
import { Panel } from '../../components/page.js';
import type { PlotPoint } from '../../components/place-names.js';
import { ScatterPlot } from '../../components/scatter-plot.js';
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
    <Panel title={texts.common.candidates}>
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
    </Panel>
  );
}

const frame = { height: 280, left: 36, right: 28, top: 12, bottom: 36 };

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
  const { height, left, right, top, bottom } = frame;
  const toX = (share: number): number => left + share * Math.max(0, width - left - right);
  const toY = (share: number): number => height - bottom - share * (height - top - bottom);
  const names = shortNames(dots.map(({ candidate: { label } }) => label));
  const points = dots.map(({ candidate: { label }, x, y, low, high }, at): PlotPoint => {
    const roles = [
      label === answered ? texts.common.answered : '',
      label === winner ? text.wouldWin : '',
    ];
    const role = roles.filter((word) => word !== '').join(', ');
    const name = names[at] ?? label;
    return {
      label,
      name: role === '' ? name : `${name} (${role})`,
      color: label === winner ? colorAt(2) : label === answered ? colorAt(0) : restColor,
      isLarge: role !== '',
      ...{ x: toX(x), y: toY(y), left: toX(x), right: toX(x), top: toY(high), bottom: toY(low) },
    };
  });
  return (
    <Box ref={ref}>
      <ScatterPlot
        label={text.scatter}
        frame={{ ...frame, width }}
        qualities={qualities.map(({ value, at }) => ({
          at: toY(at),
          words: `${Math.round(value * 100)}`,
        }))}
        costs={costs.map(({ value, at }) => ({
          at: toX(at),
          words: value === 0 ? text.free : formatUsd(value),
        }))}
        costTitle={texts.common.expectedCost}
        points={points}
      />
      {unknown.length === 0 ? null : (
        <Note>
          {fill(text.unknownFigures, { models: unknown.map(({ label }) => label).join(', ') })}
        </Note>
      )}
    </Box>
  );
}
