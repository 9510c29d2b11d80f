import { Box, Table, type TableProps, VisuallyHidden } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Paged } from './loaded.js';
import type { PagedList } from '../api/queries.js';

/** A column of a table. */
export interface Column<Row> {
  /** Its head; beside the value where there is no room for columns. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** Stands at the right, unbroken. */
  isFigure?: boolean;
  /** Left out in a narrow window, because the page of the row has it too. */
  isMinor?: boolean;
  /** Its head is for those who do not see the table, such as that of buttons. */
  isHeadHidden?: boolean;
}

/** A column of figures. */
export const figure = <Row,>(
  label: string,
  cell: (row: Row) => ReactNode,
  more: Pick<Column<Row>, 'isMinor'> = {},
): Column<Row> => ({ label, cell, isFigure: true, ...more });

interface ListTableProps<Row> extends Pick<TableProps, 'fz' | 'highlightOnHover'> {
  /** What the table shows. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What tells a row from others; default: its `id`, else its place. */
  keyOf?: (row: Row, index: number) => string | number;
  /** In px; it scrolls where there is less room. In a telephone's width, rows become blocks. */
  minWidth: number;
  /** In px; above it the rows scroll below their heads. */
  maxHeight?: number;
  /** What stands below a row; null: nothing. */
  detailsOf?: (row: Row) => ReactNode;
  /** Rows that are not in force any more. */
  isPale?: (row: Row) => boolean;
  /** Stands in place of a table without rows. */
  empty?: ReactNode;
}

/**
 * A table of rows that are alike. In a narrow window each row is a block with the first column as
 * its heading, and the others below it with their labels.
 */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    keyOf = idOf,
    minWidth,
    maxHeight,
    detailsOf,
    isPale,
    empty,
    ...table
  } = props;
  if (empty && rows.length === 0) return empty;
  const hasStickyHead = maxHeight !== undefined;
  return (
    <ScrollRegion label={label} {...(hasStickyHead ? { maxHeight } : {})}>
      <Box miw={{ base: 0, sm: minWidth }}>
        {/* roles, because some browsers see no table in blocks */}
        <Table
          role="table"
          className="list-table"
          horizontalSpacing={8}
          stickyHeader={hasStickyHead}
          {...table}
        >
          <Heads columns={columns} />
          <Table.Tbody role="rowgroup">
            {rows.map((row, index) => (
              <Fragment key={keyOf(row, index)}>
                <Table.Tr role="row" c={isPale?.(row) ? 'dimmed' : undefined}>
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

const idOf = (row: unknown, index: number): string | number =>
  typeof row === 'object' && row !== null && 'id' in row ? String(row.id) : index;

interface PagedTableProps<Row> extends Omit<ListTableProps<Row>, 'rows'> {
  list: PagedList<Row>;
}

/** A table of a list that is read page by page. */
export const PagedTable = <Row,>({ list, ...table }: PagedTableProps<Row>) => (
  <Paged list={list}>{(rows) => <ListTable {...table} rows={rows} />}</Paged>
);

function Heads<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <Table.Thead role="rowgroup">
      <Table.Tr role="row">
        {columns.map(({ label, isFigure, isHeadHidden }) => (
          <Table.Th key={label} role="columnheader" className={isFigure ? 'figure' : undefined}>
            {isHeadHidden ? <VisuallyHidden>{label}</VisuallyHidden> : label}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { label, isFigure = false, isMinor = false, isHeadHidden = false, cell } = column;
  const content = cell(row);
  return (
    <Table.Td
      role="cell"
      data-label={isHeadHidden ? '' : label}
      data-is-empty={content === null || content === '' || content === false}
      className={[isFigure ? 'figure' : '', isMinor ? 'minor' : ''].join(' ').trim()}
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
  maxHeight?: number;
  children: ReactNode;
}

/** Scrolls what is too wide or too high for its place, also by the keyboard. */
export const ScrollRegion = ({ label, maxHeight, children }: ScrollRegionProps) => (
  <Box
    style={{ overflow: 'auto' }}
    tabIndex={0}
    role="region"
    aria-label={label}
    {...(maxHeight === undefined ? {} : { mah: maxHeight })}
  >
    {children}
  </Box>
);
