//! Blocks by number and coordinates, and the clusters of a grid.

use serde::{Deserialize, Serialize};

/// The coordinates of a number in a box, x fastest.
pub(crate) fn coordinates(number: u64, sizes: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(sizes[0]), u64::from(sizes[1]));
    [(number % x) as u32, (number / x % y) as u32, (number / (x * y)) as u32]
}

/// The number of coordinates in a box, x fastest.
fn number(at: [u32; 3], sizes: [u32; 3]) -> u64 {
    let [x, y, z] = at.map(u64::from);
    x + u64::from(sizes[0]) * (y + u64::from(sizes[1]) * z)
}

/// A grid whose blocks are in clusters; the size of a cluster divides that of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridClusters {
    /// Blocks of the grid in x, y, z.
    pub grid: [u32; 3],
    /// Blocks of a cluster in x, y, z.
    pub cluster: [u32; 3],
}

impl GridClusters {
    /// Blocks of a cluster.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Clusters of the grid in x, y, z.
    fn counts(&self) -> [u32; 3] {
        std::array::from_fn(|axis| self.grid[axis] / self.cluster[axis])
    }

    /// The rank of a block in its cluster.
    #[must_use]
    pub fn rank(&self, block: [u32; 3]) -> u32 {
        number(std::array::from_fn(|axis| block[axis] % self.cluster[axis]), self.cluster) as u32
    }

    /// The number of the cluster of a block.
    #[must_use]
    pub fn cluster_of(&self, block: u64) -> u64 {
        let at = coordinates(block, self.grid);
        number(std::array::from_fn(|axis| at[axis] / self.cluster[axis]), self.counts())
    }

    /// The number of the block of a rank in a cluster.
    #[must_use]
    pub fn block(&self, cluster: u64, rank: u32) -> u64 {
        let outside = coordinates(cluster, self.counts());
        let inside = coordinates(u64::from(rank), self.cluster);
        number(std::array::from_fn(|axis| outside[axis] * self.cluster[axis] + inside[axis]), self.grid)
    }
}

#[cfg(test)]
mod tests {
    use super::{GridClusters, coordinates};

    #[test]
    fn each_block_has_one_rank_in_one_cluster() {
        let clusters = GridClusters { grid: [6, 4, 2], cluster: [3, 2, 1] };
        let mut blocks = Vec::new();
        for cluster in 0..8 {
            for rank in 0..clusters.blocks() {
                let block = clusters.block(cluster, rank);
                assert_eq!(clusters.cluster_of(block), cluster);
                assert_eq!(clusters.rank(coordinates(block, clusters.grid)), rank);
                blocks.push(block);
            }
        }
        assert_eq!(blocks[..12], [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11]);
        blocks.sort_unstable();
        assert_eq!(blocks, (0..48).collect::<Vec<u64>>());
    }
}
