import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../../components/empty.js';
import { useParameters } from '../../components/search-parameters.js';
import { texts } from '../../texts/texts.js';
import type { Range } from './ranges.js';

const text = texts.overview;

/** Stands where there were no requests: what to do, or where to look. */
export function FirstRun({ range }: { range: Range }) {
  const [, change] = useParameters();
  return (
    <Empty
      title={text.empty}
      hint={text.emptyHint}
      actions={
        <>
          <Button component={Link} href="/connect">
            {text.connect}
          </Button>
          <Button component={Link} href="/playground" variant="default">
            {text.tryModels}
          </Button>
          {range === '90d' ? null : (
            <Button variant="subtle" onClick={() => change({ range: '90d' })}>
              {text.lookBack}
            </Button>
          )}
        </>
      }
    />
  );
}
