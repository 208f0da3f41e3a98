//! Decimals beside floats: a query computes with both as floats.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Expr, ExprSchemable, cast};

/// Turns a decimal into a `DOUBLE` if it meets a float in a comparison, in arithmetic, `BETWEEN`,
/// `IN` or `CASE`. Arguments of a function are turned if they are literals.
///
/// On its own, DataFusion turns the float into a decimal, which ends the query at the first value
/// that the decimal cannot hold.
#[derive(Debug)]
pub(crate) struct Floats;

impl FunctionRewrite for Floats {
    fn name(&self) -> &str {
        "decimals_beside_floats"
    }

    fn rewrite(&self, mut expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let mut is_changed = false;
        // A function such as `concat` may return other text for a float.
        let only_literals = matches!(expr, Expr::ScalarFunction(_) | Expr::AggregateFunction(_));
        for group in peers(&mut expr) {
            // The engine reports an expression without a type.
            let types: Vec<_> = group.iter().map(|peer| peer.get_type(schema).unwrap_or(DataType::Null)).collect();
            if !types.iter().any(is_float) {
                continue;
            }
            for (peer, data_type) in group.into_iter().zip(types) {
                if data_type.is_decimal() && (!only_literals || matches!(peer, Expr::Literal(..))) {
                    *peer = double(std::mem::take(peer));
                    is_changed = true;
                }
            }
        }
        Ok(Transformed::new_transformed(expr, is_changed))
    }
}

fn is_float(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_float(item.data_type())
        }
        other => other.is_floating(),
    }
}

/// Returns the parts of an expression that have to agree on a type, in groups.
fn peers(expr: &mut Expr) -> Vec<Vec<&mut Expr>> {
    match expr {
        Expr::BinaryExpr(binary) => vec![vec![&mut *binary.left, &mut *binary.right]],
        Expr::Between(between) => vec![vec![&mut *between.expr, &mut *between.low, &mut *between.high]],
        Expr::InList(list) => vec![std::iter::once(&mut *list.expr).chain(&mut list.list).collect()],
        Expr::Case(case) => {
            let (when, then): (Vec<_>, Vec<_>) =
                case.when_then_expr.iter_mut().map(|(when, then)| (&mut **when, &mut **then)).unzip();
            let results = then.into_iter().chain(case.else_expr.as_deref_mut()).collect();
            // Without an operand, conditions are no values to compare.
            let compared = case.expr.as_deref_mut().map(|operand| std::iter::once(operand).chain(when).collect());
            compared.into_iter().chain([results]).collect()
        }
        Expr::ScalarFunction(call) => vec![call.args.iter_mut().collect()],
        Expr::AggregateFunction(call) => vec![call.params.args.iter_mut().collect()],
        _ => vec![],
    }
}

/// Returns an expression as a `DOUBLE`. A literal is rounded once.
fn double(expr: Expr) -> Expr {
    let value = match &expr {
        Expr::Literal(ScalarValue::Decimal128(Some(digits), _, scale), _) => nearest(digits, *scale),
        Expr::Literal(ScalarValue::Decimal256(Some(digits), _, scale), _) => nearest(digits, *scale),
        _ => None,
    };
    match value {
        Some(value) => Expr::Literal(ScalarValue::Float64(Some(value)), None),
        None => cast(expr, DataType::Float64),
    }
}

/// Returns the float nearest to a decimal.
fn nearest(digits: impl std::fmt::Display, scale: i8) -> Option<f64> {
    format!("{digits}e{}", -i16::from(scale)).parse().ok()
}
