import { Collapse, List, Loader, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { Work } from './answer.js';

const { work: words } = texts.playground;

/** Searches, pages and tools of an answer: open while they run, then one line that opens. */
export function WorkList({ work, isOpen }: { work: readonly Work[]; isOpen: boolean }) {
  const [opened, { toggle }] = useDisclosure(false);
  const last = work.at(-1);
  if (!last) return null;
  const isShown = isOpen || opened;
  return (
    <div>
      <UnstyledButton
        onClick={toggle}
        aria-expanded={isShown}
        disabled={isOpen}
        className="work-head"
      >
        <Text size="xs" c="dimmed" component="span" aria-live="polite">
          {isOpen ? lineOf(last) : fill(words.done, { count: work.length })}
        </Text>
      </UnstyledButton>
      <Collapse expanded={isShown}>
        <List size="xs" spacing={2} mt={4} className="work-list">
          {work.map((one, index) => (
            <List.Item key={index} icon={iconOf(one, isOpen && index === work.length - 1)}>
              <span className="text-plain">{lineOf(one)}</span>
            </List.Item>
          ))}
        </List>
      </Collapse>
    </div>
  );
}

function iconOf({ kind, phase }: Work, isLast: boolean) {
  const isRunning = kind === 'tool' ? phase === 'running' : isLast;
  if (isRunning) return <Loader size={10} />;
  return <span aria-hidden>{phase === 'error' || phase === 'refused' ? '✗' : '✓'}</span>;
}

function lineOf({ kind, phase, detail, latency }: Work): string {
  const known: Readonly<Record<string, string>> = kind === 'tool' ? words.tool : words.phase;
  const time = latency === null ? '' : ` (${formatMs(latency)})`;
  return `${known[phase] ?? phase}: ${detail}${time}`;
}
