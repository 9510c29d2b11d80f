import { Box, Table, type TableProps, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Fragment, type MouseEvent, type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { unknownValue } from '../format/numbers.js';
import { fill, texts } from '../texts/texts.js';
import { Paged, type PagedProps } from './loaded.js';

/** A column of a table. */
export interface Column<Row> {
  /** Its head; beside the value where there is no room for columns. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** Stands at the right, unbroken. */
  isFigure?: boolean;
  /** Left out in a narrow window, because the page of the row has it too. */
  isMinor?: boolean;
  /** Says by itself what it is: in a narrow window it stands beside others, without its label. */
  isPlain?: boolean;
  /** Its head is for those who do not see the table, such as that of buttons. */
  isHeadHidden?: boolean;
  sort?: Sorting;
}

/** Sorts the rows by a column, the highest first, or no longer. */
interface Sorting {
  isOn: boolean;
  toggle: () => void;
}

/** A column of any content. */
export const column = <Row,>(
  label: string,
  cell: (row: Row) => ReactNode,
  more: Omit<Column<Row>, 'label' | 'cell'> = {},
): Column<Row> => ({ label, cell, ...more });

/** A column of figures. */
export const figure: typeof column = (label, cell, more) =>
  column(label, cell, { isFigure: true, ...more });

/** A column that is left out in a narrow window. */
export const minor: typeof column = (label, cell) => column(label, cell, { isMinor: true });

/** A column that says by itself what it is. */
export const plain: typeof column = (label, cell, more) =>
  column(label, cell, { isPlain: true, ...more });

/** The last column: what can be done with a row. */
export const actionsColumn = <Row,>(cell: (row: Row) => ReactNode): Column<Row> =>
  column(texts.common.actions, cell, { isHeadHidden: true });

interface ListTableProps<Row> extends Pick<
  TableProps,
  'fz' | 'highlightOnHover' | 'verticalSpacing'
> {
  /** What the table shows. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What tells a row from others; default: its `id`, else its place. */
  keyOf?: (row: Row, index: number) => string | number;
  /** In px; it scrolls where there is less room. In a telephone's width, rows become blocks. */
  minWidth: number;
  /** It stays a table in a telephone's width too, without its minor columns. */
  isSlim?: boolean;
  /** In px; above it the rows scroll below their heads. */
  maxHeight?: number;
  /** What stands below a row; null: nothing. */
  detailsOf?: (row: Row) => ReactNode;
  /** Rows that are not in force any more. */
  isPale?: (row: Row) => boolean;
  /** The page of a row: a click opens it, and j, k and Enter walk there. */
  hrefOf?: (row: Row) => string;
  /** Stands in place of a table without rows. */
  empty?: ReactNode;
}

/**
 * A table of rows that are alike. In a narrow window each row is a block with the first column as
 * its heading, and the others below it with their labels; plain ones fill its lines.
 */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf = idOf,
    minWidth,
    isSlim,
    maxHeight,
    detailsOf,
    isPale,
    hrefOf,
    empty,
    ...table
  } = props;
  const opened = useRowLinks(rows, hrefOf);
  if (empty && rows.length === 0) return empty;
  return (
    <ScrollRegion label={label} maxHeight={maxHeight}>
      <Box miw={{ base: 0, sm: minWidth }}>
        {/* roles, because some browsers see no table in blocks */}
        <Table
          role="table"
          className={isSlim ? 'list-table' : 'list-table row-blocks'}
          horizontalSpacing={8}
          stickyHeader={maxHeight !== undefined}
          {...table}
        >
          <Heads columns={columns} />
          <Table.Tbody role="rowgroup">
            {rows.map((row, index) => (
              <Fragment key={keyOf(row, index)}>
                <Table.Tr
                  role="row"
                  c={isPale?.(row) ? 'dimmed' : undefined}
                  {...opened(row, index)}
                >
                  {columns.map((column) => (
                    <Cell key={column.label} column={column} row={row} />
                  ))}
                </Table.Tr>
                <Details span={columns.length}>{detailsOf?.(row)}</Details>
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
    </ScrollRegion>
  );
}

/** Makes rows links to their pages. For those who do not see it, the first link does the same. */
function useRowLinks<Row>(rows: readonly Row[], hrefOf: ((row: Row) => string) | undefined) {
  const [, navigate] = useLocation();
  const [current, setCurrent] = useState(-1);
  const open = (index: number): void => {
    const row = rows[index];
    if (hrefOf && row !== undefined) navigate(hrefOf(row));
  };
  const move = (step: number) => (): void =>
    setCurrent((before) => Math.min(rows.length - 1, Math.max(0, before + step)));
  const enter = ({ target }: KeyboardEvent): void => {
    if (!isOfControl(target)) open(current);
  };
  useHotkeys(
    hrefOf
      ? [
          ['j', move(1)],
          ['k', move(-1)],
          ['Enter', enter, { preventDefault: false }],
        ]
      : [],
  );
  return (_row: Row, index: number) =>
    hrefOf
      ? {
          style: { cursor: 'pointer' },
          onClick: ({ target }: MouseEvent) => {
            if (!isOfControl(target) && getSelection()?.isCollapsed !== false) open(index);
          },
          ...(index === current ? { 'aria-current': true, ref: scrollThere } : {}),
        }
      : {};
}

/** Whether a click or a key is meant for a link or a button itself. */
const isOfControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('a, button') !== null;

const scrollThere = (row: HTMLTableRowElement | null): void =>
  row?.scrollIntoView({ block: 'nearest' });

const idOf = (row: unknown, index: number): string | number =>
  typeof row === 'object' && row !== null && 'id' in row ? String(row.id) : index;

type PagedTableProps<Row> = Omit<ListTableProps<Row>, 'rows'> & Omit<PagedProps<Row>, 'children'>;

/** A table of a list that is read page by page. */
export const PagedTable = <Row,>({ list, more, lines, ...table }: PagedTableProps<Row>) => (
  <Paged {...{ list, more, lines }}>{(rows) => <ListTable {...table} rows={rows} />}</Paged>
);

type Kinds = Pick<Column<never>, 'isFigure' | 'isMinor' | 'isPlain'>;

const classOf = ({ isFigure, isMinor, isPlain }: Kinds): string =>
  [isFigure && 'figure', isMinor && 'minor', isPlain && 'plain'].filter(Boolean).join(' ');

const Heads = <Row,>({ columns }: { columns: readonly Column<Row>[] }) => (
  <Table.Thead role="rowgroup">
    <Table.Tr role="row">
      {columns.map(({ label, isHeadHidden, sort, ...kinds }) => (
        <Table.Th
          key={label}
          role="columnheader"
          className={classOf(kinds)}
          {...(sort ? { 'aria-sort': sort.isOn ? 'descending' : 'none' } : {})}
        >
          {isHeadHidden ? (
            <VisuallyHidden>{label}</VisuallyHidden>
          ) : sort ? (
            <SortButton label={label} {...sort} />
          ) : (
            label
          )}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
);

const SortButton = ({ label, isOn, toggle }: Sorting & { label: string }) => (
  <UnstyledButton
    fz="inherit"
    fw="inherit"
    aria-label={fill(isOn ? texts.requests.sortedBy : texts.requests.sortBy, { column: label })}
    onClick={toggle}
  >
    {label} <span aria-hidden>{isOn ? '▼' : '↕'}</span>
  </UnstyledButton>
);

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { label, isHeadHidden = false, cell } = column;
  const content = cell(row);
  return (
    <Table.Td
      role="cell"
      data-label={isHeadHidden ? '' : label}
      data-is-empty={[null, '', false, unknownValue].includes(content as string)}
      className={classOf(column)}
    >
      <div>{content}</div>
    </Table.Td>
  );
}

const Details = ({ span, children }: { span: number; children: ReactNode }) =>
  children === null || children === undefined ? null : (
    <Table.Tr role="row" className="list-details">
      <Table.Td role="cell" colSpan={span}>
        {children}
      </Table.Td>
    </Table.Tr>
  );

interface ScrollRegionProps {
  /** What it shows; readers without a mouse reach it to scroll. */
  label: string;
  /** Above this height, in px, it scrolls. */
  maxHeight?: number | undefined;
  children: ReactNode;
}

/** Also what is hidden from sight has its place in it, and does not widen the page. */
const region = { pos: 'relative', style: { overflow: 'auto' } } as const;

/** Scrolls what is too wide or too high for its place, also by the keyboard. */
export const ScrollRegion = ({ label, maxHeight, children }: ScrollRegionProps) => (
  <Box {...region} tabIndex={0} role="group" aria-label={label} mah={maxHeight}>
    {children}
  </Box>
);
