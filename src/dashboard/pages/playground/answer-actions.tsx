import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CompactButton, CopyText } from '../../components/elements.js';
import { type Answer, isOpen, type Rating } from '../../components/conversation/answer.js';
import { Icon } from '../../components/icons.js';
import { texts } from '../../texts/texts.js';

const { playground: words } = texts;

interface AnswerActionsProps {
  answer: Answer;
  rate: (rating: Exclude<Rating, null>) => Promise<void>;
  /** Opens why this model answered. */
  explain: () => void;
  /** Absent: it cannot be asked again. */
  again?: () => void;
}

/** What a reader can do with an answer: rate, copy, ask again, see why it was this model. */
export function AnswerActions({ answer, rate, explain, again }: AnswerActionsProps) {
  if (isOpen(answer)) return null;
  const { state, responseId, text, rating } = answer;
  const canRate = state === 'done' && responseId !== null;
  return (
    <>
      {again ? (
        <CompactButton onClick={again}>
          {state === 'done' ? words.regenerate : texts.common.tryAgain}
        </CompactButton>
      ) : null}
      {canRate ? (
        <>
          <Thumb is="good" rating={rating} rate={rate} />
          <Thumb is="bad" rating={rating} rate={rate} />
        </>
      ) : null}
      <CompactButton onClick={explain}>{words.why}</CompactButton>
      {text === '' ? null : <CopyText value={text} />}
    </>
  );
}

interface ThumbProps extends Pick<AnswerActionsProps, 'rate'> {
  is: Exclude<Rating, null>;
  rating: Rating;
}

function Thumb({ is, rating, rate }: ThumbProps) {
  const rated = useMutation({ mutationFn: () => rate(is) });
  const isGiven = rating === is;
  const hint = rated.error
    ? `${words.notRated} ${rated.error.message}`
    : isGiven
      ? words.rated
      : words[is];
  return (
    <Tooltip label={hint}>
      <ActionIcon
        variant={isGiven ? 'filled' : 'default'}
        size="md"
        aria-label={words[is]}
        aria-pressed={isGiven}
        loading={rated.isPending}
        onClick={() => rated.mutate()}
      >
        <Icon name={is} />
      </ActionIcon>
    </Tooltip>
  );
}
