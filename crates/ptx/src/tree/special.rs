//! Special registers.

use super::name::named;
use super::types::Type;

named! {
    /// An element of a vector register.
    Component {
        X = "x",
        Y = "y",
        Z = "z",
        W = "w",
    }
}

named! {
    /// A part of a register that a video instruction takes.
    Part {
        B0 = "b0",
        B1 = "b1",
        B2 = "b2",
        B3 = "b3",
        H0 = "h0",
        H1 = "h1",
    }
}

impl Component {
    /// The index of the element.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

named! {
    /// A special register.
    Special {
        Tid = "%tid",
        Ntid = "%ntid",
        Ctaid = "%ctaid",
        Nctaid = "%nctaid",
        Clusterid = "%clusterid",
        Nclusterid = "%nclusterid",
        ClusterCtaid = "%cluster_ctaid",
        ClusterNctaid = "%cluster_nctaid",
        Laneid = "%laneid",
        Warpid = "%warpid",
        Nwarpid = "%nwarpid",
        Smid = "%smid",
        Nsmid = "%nsmid",
        Gridid = "%gridid",
        IsExplicitCluster = "%is_explicit_cluster",
        ClusterCtarank = "%cluster_ctarank",
        ClusterNctarank = "%cluster_nctarank",
        LanemaskEq = "%lanemask_eq",
        LanemaskLe = "%lanemask_le",
        LanemaskLt = "%lanemask_lt",
        LanemaskGe = "%lanemask_ge",
        LanemaskGt = "%lanemask_gt",
        Clock = "%clock",
        ClockHi = "%clock_hi",
        Clock64 = "%clock64",
        Globaltimer = "%globaltimer",
        GlobaltimerLo = "%globaltimer_lo",
        GlobaltimerHi = "%globaltimer_hi",
        DynamicSmemSize = "%dynamic_smem_size",
        TotalSmemSize = "%total_smem_size",
        AggrSmemSize = "%aggr_smem_size",
        ReservedSmemOffsetBegin = "%reserved_smem_offset_begin",
        ReservedSmemOffsetEnd = "%reserved_smem_offset_end",
        ReservedSmemOffsetCap = "%reserved_smem_offset_cap",
        ReservedSmemOffset0 = "%reserved_smem_offset_0",
        ReservedSmemOffset1 = "%reserved_smem_offset_1",
        CurrentGraphExec = "%current_graph_exec",
        Pm0 = "%pm0",
        Pm1 = "%pm1",
        Pm2 = "%pm2",
        Pm3 = "%pm3",
        Pm4 = "%pm4",
        Pm5 = "%pm5",
        Pm6 = "%pm6",
        Pm7 = "%pm7",
        Envreg0 = "%envreg0",
        Envreg1 = "%envreg1",
        Envreg2 = "%envreg2",
        Envreg3 = "%envreg3",
        Envreg4 = "%envreg4",
        Envreg5 = "%envreg5",
        Envreg6 = "%envreg6",
        Envreg7 = "%envreg7",
        Envreg8 = "%envreg8",
        Envreg9 = "%envreg9",
        Envreg10 = "%envreg10",
        Envreg11 = "%envreg11",
        Envreg12 = "%envreg12",
        Envreg13 = "%envreg13",
        Envreg14 = "%envreg14",
        Envreg15 = "%envreg15",
        Envreg16 = "%envreg16",
        Envreg17 = "%envreg17",
        Envreg18 = "%envreg18",
        Envreg19 = "%envreg19",
        Envreg20 = "%envreg20",
        Envreg21 = "%envreg21",
        Envreg22 = "%envreg22",
        Envreg23 = "%envreg23",
        Envreg24 = "%envreg24",
        Envreg25 = "%envreg25",
        Envreg26 = "%envreg26",
        Envreg27 = "%envreg27",
        Envreg28 = "%envreg28",
        Envreg29 = "%envreg29",
        Envreg30 = "%envreg30",
        Envreg31 = "%envreg31",
    }
}

impl Special {
    /// The type of the register or of each of its components.
    #[must_use]
    pub fn ty(self) -> Type {
        match self {
            Special::Clock64 | Special::Globaltimer | Special::Gridid | Special::CurrentGraphExec => {
                Type::U64
            }
            Special::IsExplicitCluster => Type::Pred,
            _ => Type::U32,
        }
    }

    /// Whether it has components `.x`, `.y` and `.z`.
    #[must_use]
    pub(crate) fn is_vector(self) -> bool {
        matches!(
            self,
            Special::Tid
                | Special::Ntid
                | Special::Ctaid
                | Special::Nctaid
                | Special::Clusterid
                | Special::Nclusterid
                | Special::ClusterCtaid
                | Special::ClusterNctaid
        )
    }
}
