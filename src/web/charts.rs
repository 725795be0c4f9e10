//! Charts: the coordinates of lines and bars, in percent of the chart, for the SVG templates.

use std::ops::Range;

use minijinja::value::Serde;
use minijinja::{Value, context};

use crate::draw::curve::labelled;
use crate::service::{BoardAnalysis, CurvePoint, Distribution, EntryView, RatingCurve, Score};

/// The maximum number of intervals between the lines of a grid.
const LINES: f64 = 5.0;
/// The possible steps of a grid, in rating points.
const STEPS: [f64; 6] = [25.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
/// About the maximum number of bars of a histogram, without the empty ones at both ends. If there would be more, each
/// bar gets a wider range of ratings.
const BARS: i64 = 24;

/// Converts a fraction to a percentage with two decimal places.
fn percent(part: f64) -> f64 {
    (part * 10_000.0).round() / 100.0
}

/// Computes the chart of a player's ratings in a game: a line of ratings, a band of deviations, and a grid. Returns
/// `None` for fewer than two boards.
pub(crate) fn curve(curve: &RatingCurve) -> Option<Value> {
    let points = &curve.points;
    let [first, .., last] = &points[..] else { return None };
    let low = |point: &CurvePoint| point.rating - point.deviation;
    let high = |point: &CurvePoint| point.rating + point.deviation;
    // The range of the chart is chosen so that the whole line of ratings is visible. The band around early, uncertain
    // ratings may be cut off.
    let bottom = points.iter().map(|point| point.rating).fold(f64::INFINITY, f64::min).min(low(last));
    let top = points.iter().map(|point| point.rating).fold(f64::NEG_INFINITY, f64::max).max(high(last));
    let fits = |step: &&f64| (top / **step).ceil() - (bottom / **step).floor() <= LINES;
    let step = *STEPS.iter().find(fits).unwrap_or(&STEPS[STEPS.len() - 1]);
    let (bottom, top) = ((bottom / step).floor() * step, (top / step).ceil() * step);
    let x = |i: usize| percent(i as f64 / (points.len() - 1) as f64);
    let y = |rating: f64| percent(((top - rating) / (top - bottom)).clamp(0.0, 1.0));
    let through = |of: &dyn Fn(&CurvePoint) -> f64| -> Vec<String> {
        points.iter().enumerate().map(|(i, point)| format!("{},{}", x(i), y(of(point)))).collect()
    };
    let mut band = through(&high);
    band.extend(through(&low).into_iter().rev());
    let count = ((top - bottom) / step).round() as i64;
    let grid = (0..=count).map(|line| {
        let rating = bottom + line as f64 * step;
        context! { y => y(rating), rating => rating.round() as i64 }
    });
    let best = points.iter().map(|point| point.rating).fold(f64::NEG_INFINITY, f64::max);
    Some(context! {
        title => curve.title.clone(),
        boards => points.len(),
        line => through(&|point: &CurvePoint| point.rating).join(" "),
        band => band.join(" "),
        grid => grid.collect::<Vec<_>>(),
        from => Serde(first.at),
        to => Serde(last.at),
        now => last.rating.round() as i64,
        now_y => y(last.rating),
        best => best.round() as i64,
    })
}

/// Computes the histogram of a game's ratings, with a bar for each range; `None` for fewer than two players.
pub(crate) fn histogram(distribution: &Distribution) -> Option<Value> {
    let players: u32 = distribution.ranges.iter().map(|(_, count)| count).sum();
    let ((first, _), (last, _)) = (distribution.ranges.first()?, distribution.ranges.last()?);
    if players < 2 {
        return None;
    }
    let narrow = i64::from(distribution.width);
    let width = narrow * ((last - first) / narrow / BARS + 1);
    // Add one empty range at each end.
    let (from, to) = (first.div_euclid(width) * width - width, (last.div_euclid(width) + 2) * width);
    let bars = (to - from) / width;
    let counts: Vec<u32> = (0..bars)
        .map(|bar| {
            let low = from + bar * width;
            let inside = distribution.ranges.iter().filter(|(range, _)| (low..low + width).contains(range));
            inside.map(|(_, count)| count).sum()
        })
        .collect();
    let most = f64::from(counts.iter().copied().max().unwrap_or(1));
    let wide = 1.0 / bars as f64;
    let bar = |(i, count): (usize, &u32)| {
        let (low, height) = (from + i as i64 * width, f64::from(*count) / most);
        let own = distribution.own.is_some_and(|own| (low..low + width).contains(&own));
        context! {
            x => percent(i as f64 * wide + wide * 0.06), middle => percent((i as f64 + 0.5) * wide),
            width => percent(wide * 0.88), y => percent(1.0 - height), height => percent(height),
            low, high => low + width - 1, count => *count, own,
        }
    };
    // Show about five labels at most, because no more fit on a phone.
    let every = (bars + 4) / 5;
    let edges = (1..bars).filter(|edge| edge % every == 0);
    let edges = edges.map(|edge| context! { x => percent(edge as f64 * wide), rating => from + edge * width });
    Some(context! {
        players, lowest => *first, highest => last + narrow - 1, own => distribution.own,
        bars => counts.iter().enumerate().map(bar).collect::<Vec<_>>(),
        edges => edges.collect::<Vec<_>>(),
    })
}

/// Computes the chart of an analysis: a line of the first seat's winning chances, the position that the page shows
/// (`here`), the mistakes, and a row for each listed move. Returns `None` before the analysis exists.
pub(crate) fn chances(
    known: &BoardAnalysis,
    title: &str,
    moves: &[EntryView],
    here: usize,
    listed: Range<usize>,
) -> Option<Value> {
    let analysis = known.analysis.as_ref()?;
    let steps = (analysis.chances.len() - 1).max(1) as f64;
    let x = |ply: usize| percent(ply as f64 / steps);
    let points: Vec<(f64, f64)> =
        analysis.chances.iter().enumerate().map(|(ply, chance)| (x(ply), percent(1.0 - chance))).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let last = x(analysis.chances.len() - 1);
    let mark = |ply: usize| points.get(ply).map(|(x, y)| context! { x => *x, y => *y });
    let row = |(ply, chance): (usize, &f64)| {
        let text = ply.checked_sub(1).and_then(|at| moves.get(at)).map(|played| played.text.clone());
        context! { ply, text, chance => (chance * 100.0).round() as i64 }
    };
    // The chart has a clickable strip for each listed position.
    let strip = |ply: usize| context! { ply, x => percent((ply as f64 - 0.5) / steps) };
    Some(context! {
        title,
        area => format!("0,50 {} {last},50", line.join(" ")),
        line => line.join(" "),
        here => x(here),
        marked => analysis.mistakes.iter().filter_map(|mistake| mark(mistake.ply.0 as usize)).collect::<Vec<_>>(),
        labels => labelled(analysis.chances.len()).map(|ply| context! { ply, x => x(ply) }).collect::<Vec<_>>(),
        strips => (listed.start..=listed.end).map(strip).collect::<Vec<_>>(),
        strip_width => percent(1.0 / steps),
        rows => analysis.chances.iter().enumerate().skip(listed.start).take(listed.len() + 1).map(row).collect::<Vec<_>>(),
    })
}

/// Computes the bar of boards won, drawn and lost.
pub(crate) fn score(score: Score) -> Value {
    let Score { won, lost, drawn } = score;
    let total = won + lost + drawn;
    let part = |count: u32| percent(f64::from(count) / f64::from(total.max(1)));
    context! { won, lost, drawn, total, won_part => part(won), drawn_part => part(drawn), lost_part => part(lost) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn points(ratings: &[f64]) -> RatingCurve {
        let at = DateTime::UNIX_EPOCH;
        let point = |rating: &f64| CurvePoint { at, rating: *rating, deviation: 60.0 };
        RatingCurve { title: "Marque".to_owned(), points: ratings.iter().map(point).collect() }
    }

    #[test]
    fn a_curve_spans_its_grid() {
        assert!(curve(&points(&[1500.0])).is_none());
        let drawn = curve(&points(&[1500.0, 1600.0, 1550.0])).unwrap();
        assert_eq!(drawn.get_attr("line").unwrap().as_str(), Some("0,75 50,25 100,50"));
        let grid = drawn.get_attr("grid").unwrap();
        let ratings: Vec<String> =
            grid.try_iter().unwrap().map(|line| line.get_attr("rating").unwrap().to_string()).collect();
        assert_eq!(ratings, ["1450", "1500", "1550", "1600", "1650"]);
    }

    #[test]
    fn a_histogram_includes_all_players_in_few_bars() {
        let ranges: Vec<(i64, u32)> = (0..60).map(|range| (500 + range * 50, 2)).collect();
        let drawn = histogram(&Distribution { width: 50, ranges, own: Some(1510) }).unwrap();
        let bars: Vec<Value> = drawn.get_attr("bars").unwrap().try_iter().unwrap().collect();
        let count = |bar: &Value| bar.get_attr("count").unwrap().to_string().parse::<u32>().unwrap();
        assert_eq!(bars.iter().map(count).sum::<u32>(), 120);
        assert!(bars.len() as i64 <= BARS + 3, "{}", bars.len());
        let own = bars.iter().filter(|bar| bar.get_attr("own").unwrap().is_true());
        assert_eq!(own.map(|bar| bar.get_attr("low").unwrap().to_string()).collect::<Vec<_>>(), ["1500"]);
        assert!(histogram(&Distribution { width: 50, ranges: vec![(1500, 1)], own: None }).is_none());
    }
}
